//! Whole folders, from files to reports.
