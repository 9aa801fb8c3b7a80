use std::fs;

use proptest::prelude::*;

use super::*;
use crate::chat::{ChatRequest, Message, Role, Usage};

impl ReplyCache {
    /// How many replies the file holds.
    pub(crate) fn replies(&self) -> u64 {
        let sql = "SELECT count(*) FROM replies";
        let count = self.lock().query_row(sql, [], |row| row.get::<_, i64>(0));
        count.unwrap().unsigned_abs()
    }
}

fn key(text: &str) -> Key {
    let request = ChatRequest {
        messages: vec![Message {
            role: Role::User,
            content: text.to_owned(),
        }],
        temperature: 0.0,
        max_output_tokens: None,
        seed: None,
        schema: None,
    };
    Key::of("judge.example", &request, 0)
}

fn reply(text: &str) -> ChatReply {
    ChatReply {
        text: text.to_owned(),
        finish: Finish::Complete,
        usage: Usage {
            input_tokens: Some(3),
            output_tokens: None,
        },
        served_by: Some("model-1".to_owned()),
        latency_ms: 12,
        attempts: 2,
        left_out: Vec::new(),
    }
}

#[test]
fn a_reply_comes_back_as_it_was_also_after_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/folder/cache.sqlite");
    {
        let cache = ReplyCache::open(&path).unwrap();
        assert_eq!(cache.get(&key("a")).unwrap(), None);
        assert!(
            cache
                .put(&key("a"), "hash", &reply("yes \u{0} \u{1F600}"))
                .unwrap()
        );
    }
    let cache = ReplyCache::open(&path).unwrap();
    assert_eq!(
        cache.get(&key("a")).unwrap(),
        Some(reply("yes \u{0} \u{1F600}"))
    );
    assert_eq!(cache.path(), path);
    assert_eq!(cache.replies(), 1);
}

#[test]
fn replies_come_in_the_order_of_the_keys() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ReplyCache::open(&folder.path().join("c")).unwrap();
    cache.put(&key("a"), "h", &reply("A")).unwrap();
    cache.put(&key("b"), "h", &reply("B")).unwrap();
    let found = cache.get_many(&[key("b"), key("x"), key("a"), key("b")]);
    let texts: Vec<Option<String>> = found
        .unwrap()
        .into_iter()
        .map(|r| r.map(|r| r.text))
        .collect();
    let expected = [Some("B"), None, Some("A"), Some("B")];
    assert_eq!(texts, expected.map(|t| t.map(str::to_owned)));
    assert_eq!(cache.get_many(&[]).unwrap(), []);
}

#[test]
fn the_last_reply_to_a_question_stays_and_keeps_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ReplyCache::open(&folder.path().join("c")).unwrap();
    cache.put(&key("a"), "h1", &reply("first")).unwrap();
    cache.put(&key("b"), "h1", &reply("other")).unwrap();
    cache.put(&key("a"), "h2", &reply("second")).unwrap();
    assert_eq!(cache.get(&key("a")).unwrap(), Some(reply("second")));
    let rows: Vec<(i64, String)> = {
        let connection = cache.lock();
        let mut select = connection
            .prepare("SELECT sequence, prompt_hash FROM replies ORDER BY sequence")
            .unwrap();
        let rows = select
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(rows, [(1, "h2".to_owned()), (2, "h1".to_owned())]);
}

#[test]
fn refusals_are_kept_and_unreadable_replies_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ReplyCache::open(&folder.path().join("c")).unwrap();
    let ended = |finish| ChatReply {
        finish,
        ..reply("no JSON")
    };
    for finish in [
        Finish::Complete,
        Finish::Length,
        Finish::Refused,
        Finish::Other,
    ] {
        assert!(cache.put(&key("a"), "h", &ended(finish)).unwrap());
        assert_eq!(cache.get(&key("a")).unwrap(), Some(ended(finish)));
    }
    assert!(
        !cache
            .put(&key("b"), "h", &ended(Finish::Unreadable))
            .unwrap()
    );
    assert_eq!(cache.get(&key("b")).unwrap(), None);
    // Nor does one take the place of a reply that was kept.
    assert!(
        !cache
            .put(&key("a"), "h", &ended(Finish::Unreadable))
            .unwrap()
    );
    assert_eq!(cache.get(&key("a")).unwrap(), Some(ended(Finish::Other)));
}

#[test]
fn an_entry_that_is_no_reply_is_named_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let cache = ReplyCache::open(&path).unwrap();
    cache.put(&key("a"), "h", &reply("yes")).unwrap();
    for broken in ["{\"text\":", "[]", "", "{}"] {
        let sql = "UPDATE replies SET reply = ?1";
        cache.lock().execute(sql, [broken]).unwrap();
        let error = cache.get(&key("a")).unwrap_err();
        assert!(matches!(error, CacheError::Damaged { .. }), "{error}");
        let message = error.to_string();
        assert!(
            message.starts_with(&format!("SYSTEM_ERROR: {}: ", path.display())),
            "{message}"
        );
        assert!(message.contains(&key("a").to_string()), "{message}");
        // The file can still be used.
        assert_eq!(cache.get(&key("b")).unwrap(), None);
        assert_eq!(cache.replies(), 1);
    }
}

#[test]
fn several_connections_write_at_once_and_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    // Each thread opens the file itself, as another process would, and the first ones
    // make it at the same time.
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let cache = ReplyCache::open(path).unwrap();
                for number in 0..20 {
                    let own = format!("{writer} {number}");
                    cache.put(&key(&own), "h", &reply(&own)).unwrap();
                    let common = format!("common {number}");
                    cache.put(&key(&common), "h", &reply(&common)).unwrap();
                }
            });
        }
    });
    let cache = ReplyCache::open(&path).unwrap();
    assert_eq!(cache.replies(), 4 * 20 + 20);
    for number in 0..20 {
        let common = format!("common {number}");
        assert_eq!(cache.get(&key(&common)).unwrap(), Some(reply(&common)));
    }
}

#[test]
fn a_failed_batch_leaves_nothing_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let cache = ReplyCache::open(&path).unwrap();
    let (good, long) = (reply("x"), reply(&"x".repeat(100_000)));
    // A file that may not grow stands for a full disk.
    cache
        .lock()
        .pragma_update(None, "max_page_count", 8)
        .unwrap();
    let (first, second) = (key("a"), key("b"));
    let entry = |key, reply| Entry {
        key,
        prompt_hash: "h",
        reply,
    };
    let error = cache
        .put_many(&[entry(&first, &good), entry(&second, &long)])
        .unwrap_err();
    assert!(matches!(error, CacheError::File { .. }), "{error}");
    assert!(error.to_string().contains("full"), "{error}");
    assert_eq!(cache.replies(), 0);
    assert!(cache.put(&first, "h", &good).unwrap());
}

#[test]
fn the_file_holds_no_word_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c");
    let cache = ReplyCache::open(&path).unwrap();
    cache
        .put(&key("the secret question"), "h", &reply("yes"))
        .unwrap();
    drop(cache);
    let bytes = fs::read(&path).unwrap();
    let holds = |text: &str| bytes.windows(text.len()).any(|w| w == text.as_bytes());
    assert!(holds("model-1"));
    assert!(!holds("secret"));
    assert!(!holds("judge.example"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_reply_comes_back(text in any::<String>(), served_by in any::<Option<String>>(),
                            numbers in any::<(Option<u64>, Option<u64>, u64, u32)>()) {
        let folder = tempfile::tempdir().unwrap();
        let cache = ReplyCache::open(&folder.path().join("c")).unwrap();
        let (input_tokens, output_tokens, latency_ms, attempts) = numbers;
        let kept = ChatReply {
            text,
            finish: Finish::Length,
            usage: Usage { input_tokens, output_tokens },
            served_by,
            latency_ms,
            attempts,
            left_out: Vec::new(),
        };
        cache.put(&key("q"), "h", &kept).unwrap();
        prop_assert_eq!(cache.get(&key("q")).unwrap(), Some(kept));
    }
}
