//! A real browser, driven step by step.

use std::future::Future;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::setup::{Programs, programs};
use crate::wire::ask;

/// How a browser is set up.
#[derive(Default)]
pub struct Wishes {
    /// Pages run no script.
    pub no_script: bool,
    /// Requests are kept for [`Browser::requested`].
    pub requests: bool,
}

/// A browser with one window. Dropping it ends it.
pub struct Browser {
    runtime: Runtime,
    client: Client,
    driver: Driver,
    /// Its own folder, so that nothing of the user's is touched.
    _profile: TempDir,
}

/// The process that drives it, and the one that is driven.
struct Driver {
    child: Child,
    _stdout: BufReader<ChildStdout>,
    address: SocketAddr,
    browser: Option<u64>,
}

impl Browser {
    /// A browser as most people have it; `None`, which was said, if there is none here.
    pub fn start() -> Option<Browser> {
        Browser::with(&Wishes::default())
    }

    pub fn with(wishes: &Wishes) -> Option<Browser> {
        let programs = programs()?;
        let profile = TempDir::new().expect("a folder");
        let mut driver = Driver::start(programs);
        let runtime = Runtime::new().expect("a runtime");
        let mut arguments = vec![
            "--headless=new".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--hide-scrollbars".to_owned(),
            "--window-size=1280,900".to_owned(),
            // Nothing but this machine is there.
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
                .to_owned(),
            // As root there is no sandbox to be had.
            "--no-sandbox".to_owned(),
        ];
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        let script = if wishes.no_script { 2 } else { 1 };
        let mut logs = json!({"browser": "ALL"});
        if wishes.requests {
            logs["performance"] = json!("ALL");
        }
        let capabilities = json!({
            "browserName": "chrome",
            "goog:chromeOptions": {
                "binary": programs.browser,
                "args": arguments,
                "prefs": {"profile.managed_default_content_settings.javascript": script},
            },
            "goog:loggingPrefs": logs,
            // A machine that does much beside this is slow, and no page is wrong for it.
            "timeouts": {"script": 180_000},
        });
        let Value::Object(capabilities) = capabilities else {
            unreachable!("an object")
        };
        let client = runtime.block_on(
            ClientBuilder::new(HttpConnector::new())
                .capabilities(capabilities)
                .connect(&format!("http://{}", driver.address)),
        );
        let client = client.expect("a session");
        driver.browser = client
            .capabilities()
            .and_then(|found| found.get("goog:processID")?.as_u64());
        Some(Browser {
            runtime,
            client,
            driver,
            _profile: profile,
        })
    }

    /// Waits for a step.
    #[track_caller]
    pub fn wait<T>(&self, step: impl Future<Output = Result<T, CmdError>>) -> T {
        match self.runtime.block_on(step) {
            Ok(done) => done,
            Err(error) => {
                let at = self.runtime.block_on(self.client.current_url());
                panic!(
                    "{error} at {}",
                    at.map_or_else(|_| "?".to_owned(), |url| url.to_string())
                )
            }
        }
    }

    #[track_caller]
    pub fn go(&self, url: &str) {
        self.wait(self.client.goto(url));
    }

    #[track_caller]
    pub fn reload(&self) {
        self.wait(self.client.refresh());
    }

    #[track_caller]
    pub fn back(&self) {
        self.wait(self.client.back());
    }

    #[track_caller]
    pub fn url(&self) -> String {
        self.wait(self.client.current_url()).to_string()
    }

    #[track_caller]
    pub fn title(&self) -> String {
        self.wait(self.client.title())
    }

    /// The first element that a selector finds.
    #[track_caller]
    pub fn find(&self, css: &str) -> Element {
        self.wait(self.client.find(Locator::Css(css)))
    }

    #[track_caller]
    pub fn all(&self, css: &str) -> Vec<Element> {
        self.wait(self.client.find_all(Locator::Css(css)))
    }

    /// A link by its words.
    #[track_caller]
    pub fn link(&self, words: &str) -> Element {
        self.wait(self.client.find(Locator::LinkText(words)))
    }

    /// What a person reads in every such element.
    #[track_caller]
    pub fn texts(&self, css: &str) -> Vec<String> {
        let found = self.all(css);
        found
            .iter()
            .map(|element| self.wait(element.text()))
            .collect()
    }

    #[track_caller]
    pub fn click(&self, element: &Element) {
        self.wait(element.click());
    }

    /// Clicks on what leads to another page, and waits for that.
    #[track_caller]
    pub fn follow(&self, element: &Element) {
        self.run("window.left = true", vec![]);
        self.wait(element.click());
        let there = "return !window.left && document.readyState === 'complete'";
        self.comes_to(there, json!(true));
    }

    /// Insists on what a script says, at once or soon: a key may lead to another page.
    #[track_caller]
    pub fn comes_to(&self, script: &str, expected: Value) {
        let mut found = Value::Null;
        for _ in 0..200 {
            // A page that is being left has nothing to say.
            let said = self.runtime.block_on(self.client.execute(script, vec![]));
            found = said.unwrap_or_default();
            if found == expected {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(found, expected, "{script} at {}", self.url());
    }

    /// Looks into the first frame of the page.
    #[track_caller]
    pub fn within_frame<T>(&self, look: impl FnOnce() -> T) -> T {
        self.wait(self.client.enter_frame(0));
        let found = look();
        self.wait(self.client.enter_parent_frame());
        found
    }

    /// Presses keys on whatever has the focus.
    #[track_caller]
    pub fn press(&self, keys: &str) {
        let focus = self.wait(self.client.active_element());
        self.wait(focus.send_keys(keys));
    }

    /// Runs a script in the page; what it returns.
    #[track_caller]
    pub fn run(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.wait(self.client.execute(script, arguments))
    }

    /// The same for a script that calls its last argument when it is done.
    #[track_caller]
    pub fn run_and_wait(&self, script: &str, arguments: Vec<Value>) -> Value {
        self.wait(self.client.execute_async(script, arguments))
    }

    /// A command of the browser's own protocol.
    #[track_caller]
    pub fn devtools(&self, command: &str, parameters: Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.vendor("goog/cdp/execute", &body)
    }

    /// What the console was told since it was last asked: anything at all is worth a failure.
    #[track_caller]
    pub fn console(&self) -> Vec<String> {
        let entries = self.vendor("se/log", &json!({"type": "browser"}));
        let entries = entries.as_array().expect("entries").iter();
        entries
            .map(|entry| format!("{} {}", entry["level"], entry["message"]))
            .collect()
    }

    /// The addresses that were asked for since this was last asked.
    #[track_caller]
    pub fn requested(&self) -> Vec<String> {
        let entries = self.vendor("se/log", &json!({"type": "performance"}));
        let entries = entries.as_array().expect("entries").iter();
        let messages = entries.map(|entry| {
            let text = entry["message"].as_str().expect("text");
            serde_json::from_str::<Value>(text).expect("JSON")
        });
        messages
            .filter(|message| message["message"]["method"] == "Network.requestWillBeSent")
            .map(|message| {
                let url = &message["message"]["params"]["request"]["url"];
                url.as_str().expect("an address").to_owned()
            })
            .collect()
    }

    #[track_caller]
    fn vendor(&self, command: &str, body: &Value) -> Value {
        let session = self.wait(self.client.session_id()).expect("a session");
        let host = self.driver.address.to_string();
        let headers = [
            ("Host", host.as_str()),
            ("Content-Type", "application/json"),
        ];
        let line = format!("POST /session/{session}/{command}");
        let reply = ask(self.driver.address, &line, &headers, &body.to_string());
        assert_eq!(reply.status, 200, "{command}: {}", reply.text());
        reply.json()["value"].take()
    }

    /// Light or dark, as the user's system would have it.
    pub fn theme(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features}));
    }

    /// A window of another width, until a picture is taken.
    pub fn width(&self, width: u64) {
        self.size(width, 900);
    }

    fn size(&self, width: u64, height: u64) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.devtools("Emulation.setDeviceMetricsOverride", size);
    }

    /// The whole page as a PNG.
    pub fn picture(&self) -> Vec<u8> {
        self.size(1280, 900);
        let height = self.run("return document.documentElement.scrollHeight", vec![]);
        self.size(1280, height.as_u64().expect("a height").clamp(600, 6000));
        let picture = self.wait(self.client.screenshot());
        self.devtools("Emulation.clearDeviceMetricsOverride", json!({}));
        picture
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The polite way; what is left of it is ended by the driver's own end.
        let _ = self.runtime.block_on(self.client.clone().close());
    }
}

impl Driver {
    fn start(programs: &Programs) -> Driver {
        let mut command = Command::new(&programs.driver);
        command
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("chromedriver starts");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        let port = loop {
            line.clear();
            let read = stdout.read_line(&mut line).expect("a line");
            assert!(read > 0, "chromedriver ended before it began");
            let port = line.split_once("started successfully on port ");
            if let Some((_, port)) = port {
                break port
                    .trim_end()
                    .trim_end_matches('.')
                    .parse()
                    .expect("a port");
            }
        };
        Driver {
            child,
            _stdout: stdout,
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            browser: None,
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(browser) = self.browser {
            let gone = || !std::path::Path::new(&format!("/proc/{browser}")).exists();
            for _ in 0..40 {
                if gone() {
                    return;
                }
                std::thread::sleep(Duration::from_millis(50));
            }
            let _ = Command::new("kill")
                .args(["-KILL", &browser.to_string()])
                .status();
        }
    }
}
