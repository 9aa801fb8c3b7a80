//! The protocols shipped inside the program. They are ordinary protocol files, kept
//! in `protocols/`, and can be written out with `judica rules --protocol NAME --source`.

/// Name and text of each.
pub const PROTOCOLS: [(&str, &str); 5] = [
    ("flight", include_str!("../../protocols/flight.toml")),
    (
        "flight-dimensions",
        include_str!("../../protocols/flight-dimensions.toml"),
    ),
    ("battery", include_str!("../../protocols/battery.toml")),
    (
        "extraction",
        include_str!("../../protocols/extraction.toml"),
    ),
    ("tool-call", include_str!("../../protocols/tool-call.toml")),
];

/// The text of a built-in protocol.
pub fn source(name: &str) -> Option<&'static str> {
    PROTOCOLS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, source)| *source)
}
