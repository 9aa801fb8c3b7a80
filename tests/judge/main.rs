//! Whole-program cases of `judica judge`, against a real HTTP server.
