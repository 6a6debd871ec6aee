//! URLs and forms by the WHATWG's rules, as the `url` crate has them.

#![expect(
    clippy::needless_pass_by_value,
    reason = "the engine's binding hands arguments over by value"
)]

use rquickjs::function::Opt;
use rquickjs::{Function, Object, Result};
use url::{Url, form_urlencoded, quirks};

/// The parts of a URL in the order the prelude names them; none if it is no URL.
fn parse(href: String, base: Opt<Option<String>>) -> Option<Vec<String>> {
    let url = match base.0.flatten() {
        None => Url::parse(&href),
        Some(base) => Url::parse(&base).and_then(|base| base.join(&href)),
    };
    url.ok().map(|url| parts(&url))
}

/// Sets one part; none if the value does not fit, and the URL stays as it was.
fn set(href: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    match part.as_str() {
        "href" => quirks::set_href(&mut url, &value).ok()?,
        "protocol" => quirks::set_protocol(&mut url, &value).ok()?,
        "username" => quirks::set_username(&mut url, &value).ok()?,
        "password" => quirks::set_password(&mut url, &value).ok()?,
        "host" => quirks::set_host(&mut url, &value).ok()?,
        "hostname" => quirks::set_hostname(&mut url, &value).ok()?,
        "port" => quirks::set_port(&mut url, &value).ok()?,
        "pathname" => quirks::set_pathname(&mut url, &value),
        "search" => quirks::set_search(&mut url, &value),
        "hash" => quirks::set_hash(&mut url, &value),
        _ => return None,
    }
    Some(parts(&url))
}

fn parts(url: &Url) -> Vec<String> {
    vec![
        quirks::href(url).to_owned(),
        quirks::origin(url),
        quirks::protocol(url).to_owned(),
        quirks::username(url).to_owned(),
        quirks::password(url).to_owned(),
        quirks::host(url).to_owned(),
        quirks::hostname(url).to_owned(),
        quirks::port(url).to_owned(),
        quirks::pathname(url).to_owned(),
        quirks::search(url).to_owned(),
        quirks::hash(url).to_owned(),
    ]
}

/// Names and values by turns.
fn form_parse(query: String) -> Vec<String> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs
        .flat_map(|(name, value)| [name.into_owned(), value.into_owned()])
        .collect()
}

fn form_serialize(flat: Vec<String>) -> String {
    let (pairs, _) = flat.as_chunks::<2>();
    let mut form = form_urlencoded::Serializer::new(String::new());
    for [name, value] in pairs {
        form.append_pair(name, value);
    }
    form.finish()
}

pub(super) fn install(object: &Object<'_>) -> Result<()> {
    let ctx = object.ctx();
    object.set("url", Function::new(ctx.clone(), parse)?)?;
    object.set("urlSet", Function::new(ctx.clone(), set)?)?;
    object.set("formParse", Function::new(ctx.clone(), form_parse)?)?;
    object.set("formSerialize", Function::new(ctx.clone(), form_serialize)?)
}
