//! Episodes of agents against recorded ones, and the stable eval JSON.
