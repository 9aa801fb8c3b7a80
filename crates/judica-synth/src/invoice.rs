//! Invoices, for `protocols/extraction.toml`.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::document::Document;
use crate::reply::Words;
use crate::rng::Stream;
use crate::source::Task;
use crate::text::{calendar, cents, day};

const TASKS: [Task; 1] = [Task {
    name: "invoice",
    horizon: 0,
    question: "Read the fields of the invoice. Answer with one JSON object: invoice_number, \
               vendor, issued, due (null if the invoice does not say), currency (EUR, USD, GBP \
               or CHF), total, paid, priority (low, normal or high; leave it out if the invoice \
               does not say), tags, and lines, each with description, quantity and price.",
}];

const VENDORS: [&str; 12] = [
    "Nordwind Papier GmbH",
    "Atelier Dubois",
    "Müller & Söhne AG",
    "Harbour Lights Ltd",
    "Bluefin Logistics",
    "Café Zürich",
    "Oak & Anchor Books",
    "Peregrine Cleaning Co",
    "Stellwerk Software",
    "Lumen Électrique",
    "Green Valley Farms",
    "Quarry Road Motors",
];
const ITEMS: [&str; 16] = [
    "Copy paper A4",
    "Desk lamp black",
    "Monthly cleaning",
    "Espresso beans 1 kg",
    "USB cable 2 m",
    "Window repair second floor",
    "Consulting hour",
    "Winter tyres mounted",
    "Hosting small server",
    "Oak shelf 80 cm",
    "Printed flyers folded",
    "Delivery by courier",
    "Safety gloves size L",
    "Annual licence",
    "Batteries AA pack of 8",
    "Fresh apples crate",
];
const TAGS: [&str; 8] = [
    "office",
    "travel",
    "urgent",
    "food",
    "hardware",
    "service",
    "recurring",
    "Q3 budget",
];
const CURRENCIES: [(&str, &str); 4] = [("EUR", "€"), ("USD", "$"), ("GBP", "£"), ("CHF", "Fr.")];
const PRIORITIES: [&str; 3] = ["low", "normal", "high"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// What an invoice says. Days count from the start of 2025, money is in cents.
pub(crate) struct Invoice {
    number: String,
    vendor: String,
    issued: u64,
    due: Option<u64>,
    currency: usize,
    total: u64,
    paid: bool,
    priority: Option<usize>,
    tags: Vec<String>,
    lines: Vec<Line>,
    /// How it writes its dates.
    style: usize,
}

struct Line {
    description: String,
    quantity: u64,
    price: u64,
}

impl Line {
    fn draw(rng: &mut Stream) -> Self {
        Line {
            description: ITEMS[rng.below(ITEMS.len())].to_owned(),
            quantity: u64::from(rng.count(1, 12)),
            // The dearest line stays below the difference that makes a total critical.
            price: u64::from(rng.count(95, 7_999)),
        }
    }

    fn sum(&self) -> u64 {
        self.quantity * self.price
    }
}

impl Invoice {
    fn written(&self, days: u64) -> String {
        let (year, month, day_of_month) = calendar(days);
        match self.style {
            0 => day(days),
            1 => format!("{day_of_month:02}.{month:02}.{year}"),
            _ => format!("{day_of_month} {} {year}", MONTHS[month as usize - 1]),
        }
    }

    /// A tag that is not there yet.
    fn tag(&self, rng: &mut Stream) -> Option<String> {
        let tag = TAGS[rng.below(TAGS.len())].to_owned();
        (!self.tags.contains(&tag)).then_some(tag)
    }
}

impl Document for Invoice {
    const DOMAIN: u64 = 3;
    const TASKS: &'static [Task] = &TASKS;
    const WORDS: Words = Words {
        fenced: "These are the fields of the invoice:",
        prose: [
            "The invoice says: ",
            "Please check the amounts before you pay.",
        ],
        refusals: [
            "I cannot read this document.",
            "The scan is too faint to tell the amounts.",
            "",
        ],
    };

    fn draw(rng: &mut Stream) -> Self {
        let letter = |rng: &mut Stream| char::from(b'A' + rng.below(26) as u8);
        let number = format!("{}{}-{:06}", letter(rng), letter(rng), rng.below(1_000_000));
        let issued = rng.below(700) as u64;
        let lines: Vec<Line> = (0..rng.count(1, 5)).map(|_| Line::draw(rng)).collect();
        let mut invoice = Invoice {
            number,
            vendor: VENDORS[rng.below(VENDORS.len())].to_owned(),
            issued,
            due: rng
                .chance(0.7)
                .then(|| issued + [10, 14, 30, 60][rng.below(4)]),
            currency: rng.below(CURRENCIES.len()),
            total: lines.iter().map(Line::sum).sum(),
            paid: rng.chance(0.4),
            priority: rng.chance(0.75).then(|| rng.below(PRIORITIES.len())),
            tags: Vec::new(),
            lines,
            style: rng.below(3),
        };
        for _ in 0..rng.below(4) {
            let tag = invoice.tag(rng);
            invoice.tags.extend(tag);
        }
        invoice
    }

    fn text(&self) -> String {
        let (currency, sign) = CURRENCIES[self.currency];
        let mut text = format!(
            "{}\n\nINVOICE {}\nDate: {}\n",
            self.vendor,
            self.number,
            self.written(self.issued)
        );
        if let Some(due) = self.due {
            let _ = writeln!(text, "Payment due by {}", self.written(due));
        }
        if let Some(priority) = self.priority {
            let _ = writeln!(text, "Priority: {}", PRIORITIES[priority]);
        }
        if !self.tags.is_empty() {
            let _ = writeln!(text, "Tags: {}", self.tags.join(", "));
        }
        text.push('\n');
        for line in &self.lines {
            let _ = writeln!(
                text,
                "{} x {} at {sign}{:.2}",
                line.quantity,
                line.description,
                cents(line.price)
            );
        }
        let paid = if self.paid { "PAID" } else { "OPEN" };
        let total = cents(self.total);
        let _ = write!(text, "\nTotal {currency} {total:.2}\nStatus: {paid}");
        text
    }

    fn answer(&self) -> Value {
        let lines = self.lines.iter().map(|line| {
            json!({
                "description": line.description,
                "quantity": line.quantity,
                "price": cents(line.price),
            })
        });
        let mut answer = json!({
            "invoice_number": self.number,
            "vendor": self.vendor,
            "issued": day(self.issued),
            "due": self.due.map(day),
            "currency": CURRENCIES[self.currency].0,
            "total": cents(self.total),
            "paid": self.paid,
        });
        if let Some(priority) = self.priority {
            answer["priority"] = json!(PRIORITIES[priority]);
        }
        answer["tags"] = json!(self.tags);
        answer["lines"] = lines.collect();
        answer
    }

    fn misread(&mut self, rng: &mut Stream) {
        let line = rng.below(self.lines.len());
        match rng.below(9) {
            // A digit of the total, so that the lines do not add up to it.
            0 => self.total += [9, 100, 1_000, 9_000][rng.below(4)],
            1 => self.issued = self.issued.saturating_sub(u64::from(rng.count(1, 25))),
            2 => self.due = None,
            3 => match self.vendor.rsplit_once(' ') {
                Some((name, _)) => self.vendor = name.trim_end_matches(" &").to_owned(),
                None => self.vendor.push_str(" Ltd"),
            },
            4 => drop(self.tags.pop()),
            5 => self.lines[line].quantity += 1,
            6 => {
                let description = &mut self.lines[line].description;
                if let Some((_, rest)) = description.split_once(' ') {
                    *description = rest.to_owned();
                }
            }
            7 => self.priority = self.priority.map(|priority| (priority + 1) % 3),
            _ if self.lines.len() > 1 => drop(self.lines.remove(line)),
            _ => self.paid = !self.paid,
        }
    }

    fn invent(mut self, rng: &mut Stream) -> Value {
        // Most invoices are due at some time; this model knows when.
        let swapped = self.due.is_some() && rng.chance(0.15);
        self.due = match self.due {
            Some(_) if swapped => Some(self.issued.saturating_sub(30)),
            Some(due) => Some(due),
            None => Some(self.issued + 30),
        };
        let tag = self.tag(rng);
        self.tags.extend(tag);
        let habit = rng.below(5);
        if habit == 0 {
            let line = Line::draw(rng);
            self.total += line.sum();
            self.lines.push(line);
        }
        let mut answer = self.answer();
        match habit {
            1 => {
                let name = CURRENCIES[self.currency].0.to_lowercase();
                answer["currency"] = json!(name);
            }
            2 => {
                let placeholder = ["N/A", "Unknown", "VENDOR"][rng.below(3)];
                answer["vendor"] = json!(placeholder);
            }
            3 => answer["invoice_number"] = json!(format!("INV-{}", rng.below(1_000_000))),
            4 => {
                answer["confidence"] = json!(0.97);
                answer["vendor_address"] = json!("12 High Street");
            }
            _ => {}
        }
        answer
    }

    fn respell(rng: &mut Stream, answer: &mut Value) {
        match rng.below(4) {
            0 => answer["total"] = json!(answer["total"].to_string()),
            1 => {
                answer["paid"] = json!(if answer["paid"] == true {
                    "yes"
                } else {
                    "open"
                })
            }
            2 => {
                let sign = CURRENCIES
                    .iter()
                    .find(|(name, _)| answer["currency"] == *name);
                answer["currency"] = json!(sign.map(|(_, sign)| sign));
            }
            _ => {
                let vendor = answer["vendor"].as_str().map(str::to_uppercase);
                answer["vendor"] = json!(vendor);
            }
        }
    }
}
