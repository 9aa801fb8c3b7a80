//! Whole-program cases of `judica match` and `judica efficiency`.
