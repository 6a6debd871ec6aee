//! `fetch`: checks a request and hands it to the caller, who owns the sockets.

use std::rc::Rc;

use bytes::Bytes;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use rquickjs::{Ctx, Exception, Function, Object, Result, TypedArray};
use url::Url;

use super::data::copy;
use super::{Host, Owed};
use crate::wire::{FromScript, ScriptRequest};

impl Host {
    fn request(
        &self,
        url: &str,
        method: &str,
        headers: &[String],
        body: Vec<u8>,
        follow_redirects: bool,
    ) -> std::result::Result<ScriptRequest, String> {
        let parsed = Url::parse(url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(url) = parsed else {
            return Err(format!(
                "fetch needs an absolute http or https URL, not {url:?}"
            ));
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err("fetch takes no user name or password in a URL; use a header".to_owned());
        }
        let max = self.limits.fetch_body_bytes;
        if body.len() > max {
            return Err(format!(
                "a request body has at most {max} bytes, this one {}",
                body.len()
            ));
        }
        let method = http::Method::from_bytes(method.to_ascii_uppercase().as_bytes())
            .map_err(|_| format!("{method:?} is not an HTTP method"))?;
        let headers = self.headers(headers)?;
        Ok(ScriptRequest {
            method,
            url,
            headers,
            body: Bytes::from(body),
            follow_redirects,
        })
    }

    fn headers(&self, flat: &[String]) -> std::result::Result<HeaderMap, String> {
        let (pairs, _) = flat.as_chunks::<2>();
        let mut headers = HeaderMap::with_capacity(pairs.len());
        for [name, value] in pairs {
            let key = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| format!("{name:?} is not a header's name"))?;
            let mut held = HeaderValue::from_str(value)
                .map_err(|_| format!("the header {name:?} has a value that cannot be sent"))?;
            held.set_sensitive(self.environment.occurs_in(value));
            headers.append(key, held);
        }
        Ok(headers)
    }

    /// Sends a request on its way.
    fn send(&self, request: ScriptRequest) -> std::result::Result<u32, String> {
        if self.paused() {
            return Err("the call waits for an answer".to_owned());
        }
        let mut under_way = self.requests.borrow_mut();
        if under_way.len() >= self.limits.fetches_at_once {
            return Err(format!(
                "more than {} requests at once",
                self.limits.fetches_at_once
            ));
        }
        let id = self.last_request.get() + 1;
        self.last_request.set(id);
        under_way.insert(id, Owed::News);
        // A caller that is gone has dropped the script's way to wait, too: it ends by itself.
        let _ = self.to_caller.send(FromScript::Fetch { id, request });
        Ok(id)
    }

    /// Asks for the next piece of a response's body.
    fn pull(&self, id: u32) {
        if let Some(owed) = self.requests.borrow_mut().get_mut(&id) {
            *owed = Owed::News;
            let _ = self.to_caller.send(FromScript::More { id });
        }
    }

    fn abort(&self, id: u32) {
        if self.request_answered(id, true) {
            let _ = self.to_caller.send(FromScript::Abort { id });
        }
    }
}

pub(super) fn install<'js>(host: &Rc<Host>, object: &Object<'js>) -> Result<()> {
    let ctx = object.ctx();
    let state = Rc::clone(host);
    let fetch = move |ctx: Ctx<'js>,
                      url: String,
                      method: String,
                      headers: Vec<String>,
                      body: Option<TypedArray<'js, u8>>,
                      follow: bool| {
        let body = body.as_ref().map(copy).unwrap_or_default();
        let sent = state
            .request(&url, &method, &headers, body, follow)
            .and_then(|request| state.send(request));
        sent.map_err(|why| Exception::throw_type(&ctx, &why))
    };
    object.set("fetch", Function::new(ctx.clone(), fetch)?)?;
    let state = Rc::clone(host);
    let pull = move |id: u32| state.pull(id);
    object.set("pullFetch", Function::new(ctx.clone(), pull)?)?;
    let state = Rc::clone(host);
    let abort = move |id: u32| state.abort(id);
    object.set("abortFetch", Function::new(ctx.clone(), abort)?)
}
