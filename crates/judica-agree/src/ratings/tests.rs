use super::*;
use judica_model::exit_code::ExitCode;
use judica_model::metric::MetricValue;
use proptest::prelude::*;
use std::io::Write;

/// A measurement of files that are written for it.
pub(super) struct Case {
    pub(super) folder: tempfile::TempDir,
    pub(super) request: RatingsRequest,
}

pub(super) type Outcome = (RatingsReport, Vec<Reject>);

impl Case {
    pub(super) fn new(level: Level) -> Self {
        let mut request = RatingsRequest::new(&[], level);
        request.options.bootstrap.resamples = 20;
        Case {
            folder: tempfile::tempdir().unwrap(),
            request,
        }
    }

    pub(super) fn file(mut self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        self.request.inputs.push(run::input(RATINGS, &path));
        self
    }

    pub(super) fn run(&self) -> Result<Outcome, WorkError> {
        let mut rejects = Vec::new();
        let (mut report, _) = measure(
            &self.request,
            &mut Hooks {
                reject: &mut |reject| {
                    rejects.push(reject.clone());
                    Ok(())
                },
                progress: &|_| (),
                interrupted: &AtomicBool::new(false),
            },
        )?;
        let refused = report.refused.total();
        assert_eq!(refused, rejects.len() as u64);
        assert_eq!(report.rows, report.ratings + report.missing + refused);
        // Formats give the same report, and say what they are.
        report.read.clear();
        Ok((report, rejects))
    }

    /// The message and the exit code of a run that fails.
    pub(super) fn failure(&self) -> (String, ExitCode) {
        let error = self.run().unwrap_err();
        let folder = format!("{}/", self.folder.path().display());
        (error.to_string().replace(&folder, ""), error.exit_code())
    }
}

pub(super) fn nominal(name: &str, text: &str) -> Outcome {
    Case::new(Level::Nominal).file(name, text).run().unwrap()
}

pub(super) fn reasons(rejects: &[Reject]) -> Vec<(u64, &str)> {
    rejects
        .iter()
        .map(|r| (r.line, r.reason.as_ref()))
        .collect()
}

pub(super) fn close(value: &MetricValue, expected: f64) -> bool {
    value.value().is_some_and(|v| (v - expected).abs() < 1e-12)
}

pub(super) const CSV: &str = "item,rater,value\n1,ann,yes\n1,bob,yes\n2,ann,yes\n2,bob,no\n\
                   3,ann,no\n3,bob,no\n4,ann,no\n4,bob,no\n";

#[test]
fn worked_by_hand() {
    // Yes-yes once, yes-no once, no-no twice: they agree on 3 of 4. Ann says yes on 2/4,
    // Bob on 1/4: chance 1/2 * 1/4 + 1/2 * 3/4 = 1/2, kappa (3/4 - 1/2) / (1/2) = 1/2.
    let (report, rejects) = nominal("a.csv", CSV);
    assert!(rejects.is_empty());
    let found = &report.coefficients;
    assert!(close(&found.percent_agreement, 0.75));
    assert!(close(&found.cohen_kappa, 0.5));
    assert_eq!((report.rows, report.ratings, report.missing), (8, 8, 0));
    assert_eq!((report.items, report.raters, report.categories), (4, 2, 2));
    assert_eq!(
        report.labels.as_deref(),
        Some(&["no", "yes"].map(str::to_owned)[..])
    );
    assert_eq!((report.level, report.weights), ("nominal", "identity"));
    let pairs = report.pairwise.unwrap();
    assert_eq!(pairs[0].confusion, [[2, 0], [1, 1]]);
}

#[test]
fn the_report_has_the_keys_of_the_contract_at_the_top() {
    let (report, _) = nominal("a.csv", CSV);
    let json = serde_json::to_value(&report).unwrap();
    let keys: Vec<&str> = json
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "schema_version",
            "level",
            "weights",
            "inputs",
            "records",
            "rejects",
            "rows",
            "ratings",
            "missing",
            "items",
            "raters",
            "categories",
            "categories_declared",
            "labels",
            "percent_agreement",
            "cohen_kappa",
            "cohen_kappa_linear",
            "cohen_kappa_quadratic",
            "scott_pi",
            "fleiss_kappa",
            "krippendorff_alpha",
            "gwet_ac1",
            "gwet_ac2",
            "pairwise",
            "bootstrap",
            "unrated_items",
            "silent_raters",
            "refused",
            "notes",
        ]
    );
    assert_eq!(json["bootstrap"]["resamples"], 20);
    assert_eq!(json["bootstrap"]["seed"], 20_250_119);
    assert!(json["cohen_kappa"]["ci"].is_array());
}

#[test]
fn every_format_gives_the_same_report() {
    let rows: Vec<[&str; 3]> = CSV
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>().try_into().unwrap())
        .collect();
    let object = |[item, rater, value]: &[&str; 3]| {
        format!("{{\"item\": {item}, \"rater\": \"{rater}\", \"value\": \"{value}\"}}")
    };
    let objects: Vec<String> = rows.iter().map(object).collect();
    let lines = objects.join("\r\n");
    let array = format!("[\n{}\n]", objects.join(",\n"));
    let gzip = stored_gzip(&lines);
    let (expected, _) = nominal("a.csv", CSV);
    for (name, bytes) in [
        ("a.tsv", CSV.replace(',', "\t").into_bytes()),
        (
            "a.CSV",
            format!("\u{feff}{}", CSV.replace('\n', "\r\n")).into_bytes(),
        ),
        ("table.txt", format!("\n{CSV}").into_bytes()),
        ("a.jsonl", lines.clone().into_bytes()),
        ("a.json", array.clone().into_bytes()),
        ("lines", lines.clone().into_bytes()),
        ("array", array.clone().into_bytes()),
        ("a.jsonl.gz", gzip),
    ] {
        let (report, rejects) = Case::new(Level::Nominal).file(name, bytes).run().unwrap();
        assert_eq!(report, expected, "{name}");
        assert!(rejects.is_empty(), "{name}");
    }
    let mut given = Case::new(Level::Nominal).file("a.txt", CSV.replace(',', ";"));
    given.request.options.delimiter = Some(b';');
    assert_eq!(given.run().unwrap().0, expected);
}

/// A gzip member whose contents are stored and not compressed.
fn stored_gzip(text: &str) -> Vec<u8> {
    let mut crc = !0u32;
    for &byte in text.as_bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(crc & 1));
        }
    }
    let length = text.len() as u16;
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.write_all(&length.to_le_bytes()).unwrap();
    out.write_all(&(!length).to_le_bytes()).unwrap();
    out.write_all(text.as_bytes()).unwrap();
    out.write_all(&(!crc).to_le_bytes()).unwrap();
    out.write_all(&u32::from(length).to_le_bytes()).unwrap();
    out
}

#[test]
fn several_files_are_one_table() {
    let (first, second) = CSV.split_at(CSV.find("2,bob").unwrap());
    let second = format!("judge;score;id\n{}", {
        let rows = second.lines().map(|line| {
            let parts: Vec<&str> = line.split(',').collect();
            format!("{};{};{}\n", parts[1], parts[2], parts[0])
        });
        rows.collect::<String>()
    });
    let second = second.replace(';', "\t");
    let case = Case::new(Level::Nominal)
        .file("a.csv", first)
        .file("b.tsv", second);
    let (mut several, one) = (case.run().unwrap().0, nominal("a.csv", CSV).0);
    assert_eq!((&several.used, &one.used), (&vec![3, 5], &vec![8]));
    several.used.clone_from(&one.used);
    assert_eq!(several, one);
}

#[test]
fn an_order_may_list_what_nobody_chose() {
    let mut case = Case::new(Level::Ordinal).file("a.csv", "item,rater,value\n1,a,x\n1,b,z\n");
    case.request.options.order = Some(["x", "y", "z"].map(str::to_owned).to_vec());
    let (report, _) = case.run().unwrap();
    assert!(
        report.notes[0].starts_with("nobody chose `y`"),
        "{:?}",
        report.notes
    );
    assert_eq!(report.categories, 3);
}

#[test]
fn weighted_kappas_of_names_say_what_they_assume() {
    let text = "item,rater,value\n1,a,x\n1,b,y\n2,a,z\n2,b,z\n";
    let note = |report: &RatingsReport| match &report.coefficients.cohen_kappa_linear {
        MetricValue::Defined { note, .. } => note.clone(),
        MetricValue::Undefined { .. } => None,
    };
    let (report, _) = nominal("a.csv", text);
    assert!(note(&report).is_some_and(|note| note.contains("sorted order")));
    let numbers = text
        .replace(",x", ",1")
        .replace(",y", ",2")
        .replace(",z", ",3");
    let (report, _) = nominal("a.csv", &numbers);
    assert!(!note(&report).is_some_and(|note| note.contains("sorted order")));
}

#[test]
fn numbers_written_differently_are_one_name_if_all_are_numbers() {
    let (report, _) = nominal("a.csv", "item,rater,value\n1,a,1\n1,b,1.0\n2,a,2\n2,b,2\n");
    assert_eq!(report.labels.unwrap(), ["1", "2"]);
    assert!(close(&report.coefficients.cohen_kappa, 1.0));
    assert_eq!(report.notes.len(), 1);
    let (report, _) = nominal("a.csv", "item,rater,value\n1,a,1\n1,b,1.0\n2,a,NA\n2,b,2\n");
    assert_eq!(report.labels.unwrap(), ["1", "1.0", "2", "NA"]);
    assert!(
        report.notes[0].starts_with("`NA` counts as a value"),
        "{:?}",
        report.notes
    );
}

#[test]
fn a_column_is_learnt_from_the_first_row_that_has_it() {
    let text = "{\"item\":1,\"rater\":\"a\"}\n{\"item\":1,\"rater\":\"a\",\"label\":\"x\"}\n\
                {\"item\":2,\"rater\":\"a\",\"score\":\"x\"}\n{\"item\":2,\"rater\":\"b\",\"label\":\"y\",\"score\":1}\n";
    let (report, rejects) = nominal("a.jsonl", text);
    assert_eq!(
        reasons(&rejects),
        [(1, "missing_value"), (3, "missing_value")]
    );
    assert_eq!(report.labels.unwrap(), ["x", "y"]);
}

#[test]
fn raters_are_in_the_order_of_their_names() {
    let pair = |text: &str| nominal("a.csv", text).0.pairwise.unwrap()[0].raters.clone();
    assert_eq!(pair("item,rater,value\n1,bob,x\n1,ann,y\n"), ["ann", "bob"]);
    assert_eq!(pair("item,rater,value\n1,10,x\n1,9,y\n"), ["9", "10"]);
}

#[test]
fn pairs_of_many_raters_only_if_asked() {
    let rows: String = (0..22)
        .map(|i| format!("{},{},{}\n", i / 11, i % 11, i % 3))
        .collect();
    let mut case = Case::new(Level::Nominal).file("a.csv", format!("item,rater,value\n{rows}"));
    assert_eq!(case.run().unwrap().0.pairwise, None);
    case.request.options.pairwise = true;
    assert_eq!(
        case.run().unwrap().0.pairwise.map(|pairs| pairs.len()),
        Some(55)
    );
}

#[test]
fn tables_show_what_was_found() {
    let text = "item,rater,value\n1,a,x\n1,b,x\n1,c,y\n2,a,y\n2,b,y\n2,c,\n3,a,\n4,,x\n";
    let (report, _) = nominal("a.csv", text);
    let tables = tables(&report);
    let titles: Vec<&str> = tables.iter().map(|t| t.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "Agreement, nominal values",
            "Every two raters",
            "What was read",
            "Not in the measurement"
        ]
    );
    assert_eq!(tables[0].rows.len(), 9);
    assert_eq!(tables[1].rows.len(), 3);
    assert_eq!(tables[2].notes, ["items nobody rated: 3"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn neither_the_order_of_rows_nor_names_matter(
        (rows, shuffled) in prop::collection::btree_map((0u8..6, 0u8..3), 0u8..4, 1..18)
            .prop_map(|cells| cells.into_iter().collect::<Vec<_>>())
            .prop_flat_map(|rows| (Just(rows.clone()), Just(rows).prop_shuffle())),
        threads in 1usize..3,
    ) {
        let text = |rows: &[((u8, u8), u8)], item: &str, label: &str| {
            let rows = rows.iter().map(|((i, r), v)| format!("{item}{i},r{r},{label}{v}\n"));
            format!("item,rater,value\n{}", rows.collect::<String>())
        };
        let run = |text: &str| {
            let mut case = Case::new(Level::Nominal).file("a.csv", text);
            case.request.options.bootstrap.threads = threads;
            case.run().unwrap().0.coefficients
        };
        let plain = run(&text(&rows, "", "l"));
        prop_assert_eq!(&plain, &run(&text(&shuffled, "", "l")));
        prop_assert_eq!(&plain, &run(&text(&rows, "the item, ", "l").replace("the item, ", "i")));
        prop_assert_eq!(&plain, &run(&text(&rows, "", "m")));
    }
}
