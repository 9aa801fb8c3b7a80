"""Decide, from stored artifacts, whether an AI system's outputs can be trusted."""

from ._native import (
    ArtifactError,
    BadInputError,
    GateFailed,
    JudicaError,
    ProtocolError,
)

__all__ = [
    "ArtifactError",
    "BadInputError",
    "GateFailed",
    "JudicaError",
    "ProtocolError",
]
