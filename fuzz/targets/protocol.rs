//! Protocol files.

use judica_verify::lint::lint;
use judica_verify::memory::Compiled;
use judica_verify::protocol::ProtocolErrors;
use judica_verify::protocol::file::ProtocolFile;
use judica_verify::protocol::load::parse;

/// A file is refused with places in it, or it loads; then it loads again from what is written
/// of it, and its content is the same.
pub fn run(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    let protocol = match parse(&source, "fuzzed") {
        Ok(protocol) => protocol,
        Err(errors) => return check_errors(&errors),
    };
    lint(&protocol);
    let file: ProtocolFile = toml::from_str(&protocol.source).expect("its source is its text");
    let written = toml::to_string(&file).expect("it can be written");
    let again = parse(&written, "written").unwrap_or_else(|errors| panic!("{errors}\n{written}"));
    assert_eq!(again.hashes, protocol.hashes);
    // Verifiers that are programs are not called for rows in memory: then it says so.
    let _ = Compiled::new(protocol);
}

/// Something is wrong, and it stands in the file.
pub fn check_errors(errors: &ProtocolErrors) {
    assert!(!errors.0.is_empty());
    for error in &errors.0 {
        let (line, _) = error.line_column();
        assert!(line <= error.source.matches('\n').count() + 1);
        assert!(error.source.get(error.span.clone()).is_some(), "{error}");
        assert!(!error.message.is_empty());
    }
}
