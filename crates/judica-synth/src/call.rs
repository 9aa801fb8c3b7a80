//! What users ask an assistant with three tools, for `protocols/tool-call.toml`.

use serde_json::{Map, Value, json};

use crate::document::Document;
use crate::reply::Words;
use crate::rng::Stream;
use crate::source::Task;
use crate::text::day;

const TASKS: [Task; 1] = [Task {
    name: "call",
    horizon: 0,
    question: "Call the tool that the user needs: get_weather (city, days, unit), search_flights \
               (from, to, date, passengers, cabin) or create_event (title, start, minutes, \
               guests), or none. Give only arguments that the user names. Answer with one JSON \
               object: name and arguments.",
}];

const CITIES: [&str; 8] = [
    "Bern",
    "São Paulo",
    "Reykjavík",
    "Nairobi",
    "Osaka",
    "Lisbon",
    "Québec",
    "Cape Town",
];
const AIRPORTS: [&str; 8] = ["ZRH", "LIS", "KEF", "NBO", "KIX", "YUL", "CPT", "GRU"];
const UNITS: [&str; 2] = ["celsius", "fahrenheit"];
const CABINS: [&str; 3] = ["economy", "business", "first"];
const TITLES: [&str; 6] = [
    "Budget review",
    "Dentist",
    "Call with the landlord",
    "Team lunch",
    "Piano lesson",
    "Release planning",
];
const GUESTS: [&str; 4] = [
    "ana@example.org",
    "li@example.org",
    "tom@example.com",
    "zoe@example.net",
];
const SMALL_TALK: [&str; 5] = [
    "Thanks, that was all!",
    "What is the capital of Portugal?",
    "Write me a haiku about autumn.",
    "Good morning! How are you?",
    "Can you explain what a leap year is?",
];

/// What a user wants, as a call.
pub(crate) enum Call {
    Weather {
        city: String,
        days: Option<u32>,
        unit: Option<usize>,
    },
    Flights {
        from: usize,
        to: usize,
        date: u64,
        passengers: Option<u32>,
        cabin: Option<usize>,
    },
    Event {
        title: String,
        date: u64,
        quarter: u32,
        minutes: u32,
        guests: Vec<&'static str>,
    },
    None(usize),
}

/// A quarter of an hour of a day: `14:30`.
fn clock(quarter: u32) -> String {
    format!("{:02}:{:02}", quarter / 4, quarter % 4 * 15)
}

impl Call {
    fn name(&self) -> &'static str {
        match self {
            Call::Weather { .. } => "get_weather",
            Call::Flights { .. } => "search_flights",
            Call::Event { .. } => "create_event",
            Call::None(_) => "none",
        }
    }

    fn arguments(&self) -> Map<String, Value> {
        let mut given = Map::new();
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                given.insert(name.to_owned(), value);
            }
        };
        match self {
            Call::Weather { city, days, unit } => {
                put("city", json!(city));
                put("days", json!(days));
                put("unit", json!(unit.map(|unit| UNITS[unit])));
            }
            Call::Flights {
                from,
                to,
                date,
                passengers,
                cabin,
            } => {
                put("from", json!(AIRPORTS[*from]));
                put("to", json!(AIRPORTS[*to]));
                put("date", json!(day(*date)));
                put("passengers", json!(passengers));
                put("cabin", json!(cabin.map(|cabin| CABINS[cabin])));
            }
            Call::Event {
                title,
                date,
                quarter,
                minutes,
                guests,
            } => {
                put("title", json!(title));
                put(
                    "start",
                    json!(format!("{}T{}", day(*date), clock(*quarter))),
                );
                put("minutes", json!(minutes));
                let guests = (!guests.is_empty()).then_some(guests);
                put("guests", json!(guests));
            }
            Call::None(_) => {}
        }
        given
    }
}

impl Document for Call {
    const DOMAIN: u64 = 4;
    const TASKS: &'static [Task] = &TASKS;
    const WORDS: Words = Words {
        fenced: "I will use a tool for that:",
        prose: [
            "Calling the tool now: ",
            "I will tell you as soon as it answers.",
        ],
        refusals: [
            "I am sorry, I cannot use tools.",
            "Which tool would you like me to use?",
            "",
        ],
    };

    fn draw(rng: &mut Stream) -> Self {
        let draw = rng.below(10);
        let some = |rng: &mut Stream| rng.chance(0.5);
        match draw {
            0..3 => Call::Weather {
                city: CITIES[rng.below(CITIES.len())].to_owned(),
                days: some(rng).then(|| rng.count(2, 14)),
                unit: some(rng).then(|| rng.below(UNITS.len())),
            },
            3..6 => {
                let from = rng.below(AIRPORTS.len());
                Call::Flights {
                    from,
                    to: (from + 1 + rng.below(AIRPORTS.len() - 1)) % AIRPORTS.len(),
                    date: rng.below(700) as u64,
                    passengers: some(rng).then(|| rng.count(2, 8)),
                    cabin: some(rng).then(|| rng.below(CABINS.len())),
                }
            }
            6..8 => Call::Event {
                title: TITLES[rng.below(TITLES.len())].to_owned(),
                date: rng.below(700) as u64,
                quarter: rng.count(32, 75),
                minutes: 15 * rng.count(1, 8),
                guests: GUESTS.iter().copied().filter(|_| rng.chance(0.3)).collect(),
            },
            _ => Call::None(rng.below(SMALL_TALK.len())),
        }
    }

    fn text(&self) -> String {
        match self {
            Call::Weather { city, days, unit } => {
                let days = days.map(|days| format!(" over the next {days} days"));
                let unit = unit.map(|unit| format!(", in degrees {}", UNITS[unit]));
                format!(
                    "How will the weather be in {city}{}{}?",
                    days.unwrap_or_default(),
                    unit.unwrap_or_default()
                )
            }
            Call::Flights {
                from,
                to,
                date,
                passengers,
                cabin,
            } => {
                let people = passengers.map(|people| format!(" for {people} people"));
                let cabin = cabin.map(|cabin| format!(" in {} class", CABINS[cabin]));
                format!(
                    "Find me a flight from {} to {} on {}{}{}.",
                    AIRPORTS[*from],
                    AIRPORTS[*to],
                    day(*date),
                    people.unwrap_or_default(),
                    cabin.unwrap_or_default()
                )
            }
            Call::Event {
                title,
                date,
                quarter,
                minutes,
                guests,
            } => {
                let guests = match guests.is_empty() {
                    true => String::new(),
                    false => format!(", and invite {}", guests.join(" and ")),
                };
                format!(
                    "Put \"{title}\" into my calendar on {} at {} for {minutes} minutes{guests}.",
                    day(*date),
                    clock(*quarter)
                )
            }
            Call::None(which) => SMALL_TALK[*which].to_owned(),
        }
    }

    fn answer(&self) -> Value {
        json!({"name": self.name(), "arguments": self.arguments()})
    }

    fn misread(&mut self, rng: &mut Stream) {
        let first = rng.chance(0.5);
        match self {
            Call::Weather { days, unit, .. } if first && (days.is_some() || unit.is_some()) => {
                (*days, *unit) = (None, None);
            }
            Call::Weather { city, .. } => {
                *city = format!("{} City", city.trim_end_matches(" City"));
            }
            Call::Flights {
                passengers: people @ Some(_),
                ..
            } if first => *people = None,
            Call::Flights { date, .. } => *date += 1,
            Call::Event { guests, .. } if first && !guests.is_empty() => drop(guests.pop()),
            Call::Event { minutes, .. } => *minutes += 15,
            // Now and then it does not see that nothing is to be done.
            Call::None(_) if rng.chance(0.1) => *self = needless(rng),
            Call::None(_) => {}
        }
    }

    fn invent(mut self, rng: &mut Stream) -> Value {
        let habit = rng.below(5);
        match &mut self {
            // What a user does not say is not theirs to choose.
            Call::Weather { days, unit, .. } => {
                days.get_or_insert(7);
                unit.get_or_insert(0);
            }
            Call::Flights {
                passengers, cabin, ..
            } => {
                passengers.get_or_insert(1);
                cabin.get_or_insert(1);
            }
            Call::Event { guests, .. } if guests.is_empty() => guests.push(GUESTS[0]),
            Call::Event { .. } => {}
            Call::None(_) => return needless(rng).answer(),
        }
        let mut answer = self.answer();
        match habit {
            0 => answer["name"] = json!(self.name().to_uppercase()),
            1 => answer["confirmed"] = json!(true),
            2 => answer["arguments"]["language"] = json!("en"),
            _ => {}
        }
        answer
    }

    fn respell(rng: &mut Stream, answer: &mut Value) {
        if rng.chance(0.7) {
            answer["arguments"] = json!(answer["arguments"].to_string());
        } else {
            *answer = json!({"arguments": answer["arguments"], "name": answer["name"]});
        }
    }
}

/// A call that nobody needs.
fn needless(rng: &mut Stream) -> Call {
    Call::Event {
        title: "Follow up".to_owned(),
        date: rng.below(700) as u64,
        quarter: 40,
        minutes: 30,
        guests: Vec::new(),
    }
}
