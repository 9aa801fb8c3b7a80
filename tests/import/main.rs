//! Whole-program tests of `judica import`.
