//! The frames that a View runs in, and the policy that it runs under.

use protocol::Span;
use serde_json::Value;

use crate::host::{HostCx, SceneFacts, faults, shorten};
use crate::verdict::expect_none;
use crate::{Applies, Check, Finding, Run, Verdict, advice, advised, defined, must, must_not};

pub(in crate::checks) const CHECKS: &[Check] = &[
    ORIGIN,
    PROXY,
    PROXY_ANNOUNCED,
    PROXY_CLOSED,
    SANDBOXED,
    FLAGS,
    DEFAULT_CLOSED,
    NO_EVAL,
    OWN_PICTURES,
    DECLARED_OPEN,
    UNDECLARED_CLOSED,
    FRAMES_CLOSED,
    OBJECTS_CLOSED,
    BASE_OWN,
    DOMAINS_CHECKED,
    PERMISSIONS_TRUE,
    PERMISSIONS_ASKED,
    RESERVED_KEPT,
];

/// The host and the sandbox must have different origins.
const ORIGIN: Check = Check {
    id: "host/sandbox/origin-differs",
    title: "a View cannot read the host's page",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &["security/sandbox-distinct-origin"],
    why: "a View on the host's origin reads its tokens and acts in the user's name",
    fix: "serve the sandbox from another origin than the host's page",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("closed")?;
        for name in ["topAddress", "siblings"] {
            let fact = scene.fact(name);
            if fact["value"].is_string() || fact["value"].as_array().is_some_and(|found| !found.is_empty()) {
                return Err(Finding::violated("an error", format!("{name}: {}", shorten(fact))));
            }
        }
        Ok(())
    }),
    fault: &faults::SINGLE_FRAME.fault,
};

/// A host that is a web page must put a sandbox proxy between itself and the View.
const PROXY: Check = Check {
    id: "host/sandbox/proxy-between",
    title: "between the host's page and the View is a sandbox proxy",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &["security/sandbox-proxy-required", "mcp-apps-sbox-01"],
    why: "without it the host's page and foreign HTML are one frame apart",
    fix: "load the View in a frame within a frame of another origin",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        cx.act_result("basic", "frames")?;
        let nested = cx.scene("closed")?.fact("isNested") == true;
        if nested {
            Ok(())
        } else {
            Err(Finding::violated("a frame within a frame", "the View is in the page's own frame"))
        }
    }),
    fault: &faults::SINGLE_FRAME.fault,
};

/// Once it is ready, the proxy must send sandbox-proxy-ready to the host.
const PROXY_ANNOUNCED: Check = Check {
    id: "host/sandbox/proxy-announced",
    title: "the sandbox proxy tells the host that it is ready",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a host that guesses when its proxy listens loses the View now and then",
    fix: "send ui/notifications/sandbox-proxy-ready from the proxy to the page, and wait for it there",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        const READY: &str = "ui/notifications/sandbox-proxy-ready";
        let heard = cx.act_result("basic", "methods-heard")?;
        if cx.scene("closed")?.fact("isNested") != true {
            return Err(Finding::blocked_by(PROXY.id, "there is no proxy"));
        }
        let methods = heard.as_array().map(Vec::as_slice).unwrap_or_default();
        if methods.iter().any(|method| method == READY) {
            return Ok(());
        }
        Err(Finding::violated(READY, format!("the page heard {}", shorten(heard))))
    }),
    fault: &faults::PROXY_SILENT.fault,
};

/// No sentence says that a View and its proxy differ in origin. Where they do not, a View runs scripts in the proxy, outside of its
/// own policy.
const PROXY_CLOSED: Check = Check {
    id: "host/sandbox/proxy-closed",
    title: "a View cannot reach into the document around it",
    cites: &[advice("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "parent.fetch() runs under the policy of the proxy, which is often none",
    fix: "give the View an origin of its own, or an opaque one",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("closed")?;
        let read = ["parentAddress", "parentDocument"]
            .into_iter()
            .find(|name| scene.fact(name)["value"].is_string());
        expect_none(read, |name| {
            Finding::violated("an error", format!("{name}: {}", shorten(scene.fact(name))))
        })
    }),
    fault: &faults::SINGLE_FRAME.fault,
};

/// Every View must be rendered in a sandboxed frame.
const SANDBOXED: Check = Check {
    id: "host/sandbox/frame-sandboxed",
    title: "the frame of a View has a sandbox attribute",
    cites: &[must("apps.mdx#1-iframe-sandboxing", Span::ALWAYS)],
    aliases: &["security/iframe-sandboxed"],
    why: "without it a View opens windows, leads the page away and submits forms",
    fix: "set sandbox on the frame that holds the View, with the tokens that it needs",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let frames = cx.act_result("basic", "frames")?.as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(view) = frames.iter().find(|frame| frame["isProbe"] == true) else {
            return Err(Finding::blocked("the View's frame was not found"));
        };
        let around = frames.iter().find(|frame| frame["id"] == view["parent"]);
        let Some(elements) = around.and_then(|frame| frame["iframes"].as_array()) else {
            return Err(Finding::blocked("the document around the View could not be read"));
        };
        let bare = elements.iter().find(|element| element["sandbox"].is_null());
        expect_none(bare, |element| Finding::violated("a sandbox attribute", shorten(element)))
    }),
    fault: &faults::UNSANDBOXED.fault,
};

/// The sandbox proxy must have allow-scripts and allow-same-origin. A frame without the attribute has both.
const FLAGS: Check = Check {
    id: "host/sandbox/proxy-flags",
    title: "the sandbox proxy may run scripts and has an origin",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &["security/sandbox-permissions"],
    why: "a proxy without an origin cannot tell whom it talks to",
    fix: "set allow-scripts and allow-same-origin on the frame of the proxy",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let frames = cx.act_result("basic", "frames")?.as_array().map(Vec::as_slice).unwrap_or_default();
        let frame = |id: &Value| frames.iter().find(|frame| frame["id"] == *id);
        let view = frames.iter().find(|frame| frame["isProbe"] == true);
        let proxy = view.and_then(|view| frame(&view["parent"]));
        let Some((proxy, page)) = proxy.and_then(|proxy| Some((proxy, frame(&proxy["parent"])?))) else {
            return Err(Finding::blocked("no frame of a proxy was found"));
        };
        let elements = page["iframes"].as_array().map(Vec::as_slice).unwrap_or_default();
        let address = proxy["url"].as_str().unwrap_or_default();
        let is_proxy = |element: &&Value| {
            let src = element["src"].as_str().unwrap_or_default();
            !src.is_empty() && address.starts_with(src)
        };
        let Some(element) = elements.iter().find(is_proxy) else {
            return Err(Finding::blocked("the element of the proxy's frame was not found"));
        };
        let Some(tokens) = element["sandbox"].as_str() else { return Ok(()) };
        let missing = ["allow-scripts", "allow-same-origin"]
            .into_iter()
            .find(|token| !tokens.split_ascii_whitespace().any(|one| one == *token));
        expect_none(missing, |token| Finding::violated(token, format!("sandbox=\"{tokens}\"")))
    }),
    fault: &faults::FLAGS_MISSING.fault,
};

/// Without ui.csp a host must use the restrictive default, in which nothing is reached.
const DEFAULT_CLOSED: Check = Check {
    id: "host/sandbox/default-closed",
    title: "a View that declares nothing reaches nothing",
    cites: &[must("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &["security/csp-default-deny"],
    why: "a View can send away whatever it was shown",
    fix: "send the default policy as a header of the View's document",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        control(cx)?;
        expect_unreached(cx.scene("closed")?, "undeclared", &["frame", "object"])
    }),
    fault: &faults::NO_POLICY.fault,
};

/// The default policy has no 'unsafe-eval'.
const NO_EVAL: Check = Check {
    id: "host/sandbox/no-eval",
    title: "a View cannot make code of text",
    cites: &[must("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &["security/sandbox-csp-enforced"],
    why: "Views that need it run here and nowhere else, and injected text becomes code",
    fix: "leave 'unsafe-eval' out of script-src",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let fact = cx.scene("closed")?.fact("eval");
        if fact["value"] == 42 { Err(Finding::violated("an error", "eval ran")) } else { Ok(()) }
    }),
    fault: &faults::EVAL_ALLOWED.fault,
};

/// The default policy lets a View use pictures in data: and styles of its own. A host may restrict more.
const OWN_PICTURES: Check = Check {
    id: "host/sandbox/own-pictures",
    title: "pictures in data: and styles of the document work by default",
    cites: &[advice("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &[],
    why: "Views are bundled into one file; where the default is narrower they look broken",
    fix: "use the default policy as it is: img-src and media-src with data:, style-src with 'unsafe-inline'",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("closed")?;
        if scene.fact("dataImage")["value"].is_null() {
            return Err(Finding::violated("a picture", shorten(scene.fact("dataImage"))));
        }
        let width = scene.fact("inlineStyle")["value"].as_f64();
        if width == Some(77.0) { Ok(()) } else { Err(Finding::violated("a style", format!("{width:?}"))) }
    }),
    fault: &faults::PICTURES_FORBIDDEN.fault,
};

/// A host must build the policy from the declared domains.
const DECLARED_OPEN: Check = Check {
    id: "host/sandbox/declared-open",
    title: "what a View declares it reaches",
    cites: &[must("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &["security/csp-allow-declared", "security/csp-construct-from-domains", "mcp-apps-sbox-02"],
    why: "a View whose data is blocked shows nothing, and its author cannot see why",
    fix: "map connectDomains, resourceDomains and frameDomains to their directives",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.scene("open")?;
        let approved = &cx.initialized("open")?["hostCapabilities"]["sandbox"]["csp"];
        if approved.is_object() && approved["connectDomains"].as_array().is_none_or(Vec::is_empty) {
            return Err(Finding::not_applicable("the host says that it approves no domain"));
        }
        let ways = ["fetch", "image.gif", "script.js", "style.css", "frame"];
        let missing = ways.into_iter().find(|way| !reached(&scene.declared_hits, way));
        expect_none(missing, |way| {
            let blocked = scene.told["violations"].as_array().and_then(|all| all.first()).map(shorten);
            Finding::violated(
                format!("a request for {way}"),
                blocked.unwrap_or_else(|| "none came".to_owned()),
            )
        })
    }),
    fault: &faults::DECLARED_IGNORED.fault,
};

/// A host must never allow a domain that was not declared.
const UNDECLARED_CLOSED: Check = Check {
    id: "host/sandbox/undeclared-closed",
    title: "a View that declares one origin reaches no other",
    cites: &[must_not("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &["security/csp-no-loosening"],
    why: "what users and reviewers read in the declaration is not what the View can do",
    fix: "allow the declared origins, and no wildcard",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        control(cx)?;
        expect_unreached(cx.scene("open")?, "undeclared", &[])
    }),
    fault: &faults::CONNECTIONS_OPEN.fault,
};

/// Without frameDomains the policy must have frame-src 'none'.
const FRAMES_CLOSED: Check = Check {
    id: "host/sandbox/frames-closed",
    title: "a View that declares no frames shows none",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "a foreign page within the View looks as if the server vouched for it",
    fix: "send frame-src 'none' unless frameDomains says otherwise",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        control(cx)?;
        let hits = &cx.scene("closed")?.undeclared_hits;
        expect_none(reached(hits, "frame").then_some(()), |()| {
            Finding::violated("no request", "the frame was loaded")
        })
    }),
    fault: &faults::FRAMES_OPEN.fault,
};

/// object-src must be 'none', whatever is declared.
const OBJECTS_CLOSED: Check = Check {
    id: "host/sandbox/objects-closed",
    title: "a View embeds no objects, not even from what it declares",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "embedded objects run outside of what the policy says about scripts",
    fix: "send object-src 'none'",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        control(cx)?;
        let hits = &cx.scene("open")?.declared_hits;
        expect_none(reached(hits, "object").then_some(()), |()| {
            Finding::violated("no request", "the object was loaded")
        })
    }),
    fault: &faults::OBJECTS_OPEN.fault,
};

/// Without baseUriDomains the policy must have base-uri 'self'; 'none' is narrower still.
const BASE_OWN: Check = Check {
    id: "host/sandbox/base-own",
    title: "a View that declares no base cannot have a foreign one",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &[],
    why: "with another base every relative address of the View leads elsewhere",
    fix: "send base-uri 'self' unless baseUriDomains says otherwise",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let fact = cx.scene("closed")?.fact("base");
        let (base, foreign) = (fact["value"]["base"].as_str(), fact["value"]["foreign"].as_str());
        let (Some(base), Some(foreign)) = (base, foreign) else {
            return Err(Finding::blocked(format!("the base could not be read: {fact}")));
        };
        expect_none(base.starts_with(foreign).then_some(base), |base| {
            Finding::violated("the View's own base", base)
        })
    }),
    fault: &faults::BASE_OPEN.fault,
};

/// A domain is an origin. What would end a directive or add a source must not become part of the policy.
const DOMAINS_CHECKED: Check = Check {
    id: "host/sandbox/domains-checked",
    title: "declared domains cannot smuggle in sources or directives",
    cites: &[must_not("apps.mdx#host-behavior", Span::ALWAYS)],
    aliases: &[],
    why: "one semicolon in a domain, and the View reaches what nobody can read in its declaration",
    fix: "take a domain into the policy only if it is an origin: no spaces, quotes, commas or semicolons",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        control(cx)?;
        let scene = cx.scene("inject")?;
        expect_unreached(scene, "undeclared", &[])?;
        if scene.fact("eval")["value"] == 42 {
            Err(Finding::violated("an error", "eval ran"))
        } else {
            Ok(())
        }
    }),
    fault: &faults::DOMAINS_SPLIT.fault,
};

/// hostCapabilities.sandbox.permissions are the permissions that the host granted.
const PERMISSIONS_TRUE: Check = Check {
    id: "host/sandbox/permissions-true",
    title: "permissions that are announced as granted are granted",
    cites: &[defined("apps.mdx#host-capabilities", Span::ALWAYS)],
    aliases: &["security/permissions-allow-attr", "mcp-apps-sbox-03"],
    why: "a View offers a button for the microphone that cannot work",
    fix: "set allow on every frame from the page to the View, or do not announce the permission",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let announced = &cx.initialized("open")?["hostCapabilities"]["sandbox"]["permissions"];
        let allows = cx.scene("open")?.fact("allows");
        if announced.as_object().is_none_or(serde_json::Map::is_empty) {
            return Err(Finding::not_applicable("the host announces no permissions"));
        }
        if allows.is_null() {
            return Err(Finding::blocked("this browser does not tell what is allowed"));
        }
        let broken = FEATURES
            .into_iter()
            .find(|(name, feature)| !announced[*name].is_null() && allows[*feature] == false);
        expect_none(broken, |(name, _)| Finding::violated(format!("{name} allowed"), shorten(allows)))
    }),
    fault: &faults::PERMISSIONS_CLAIMED.fault,
};

/// A View has the permissions that were declared and granted. That others are not given follows from restricted permissions.
const PERMISSIONS_ASKED: Check = Check {
    id: "host/sandbox/permissions-asked",
    title: "a View that declares no permissions has none",
    cites: &[advised("apps.mdx#1-iframe-sandboxing", Span::ALWAYS)],
    aliases: &[],
    why: "any View can ask for the camera in the host's name",
    fix: "leave allow empty unless the resource declares permissions",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let allows = cx.scene("closed")?.fact("allows");
        if allows.is_null() {
            return Err(Finding::blocked("this browser does not tell what is allowed"));
        }
        let given =
            ["camera", "microphone", "geolocation"].into_iter().find(|feature| allows[*feature] == true);
        expect_none(given, |feature| Finding::violated("no permission", format!("{feature} is allowed")))
    }),
    fault: &faults::PERMISSIONS_GIVEN.fault,
};

/// Messages whose method begins with ui/notifications/sandbox- are between host and proxy. They are not forwarded.
const RESERVED_KEPT: Check = Check {
    id: "host/sandbox/reserved-kept",
    title: "a View that speaks for the sandbox proxy has no effect",
    cites: &[must("apps.mdx#sandbox-proxy", Span::ALWAYS)],
    aliases: &["security/sandbox-message-forwarding"],
    why: "a View that says that the proxy is ready makes the host load it again and again",
    fix: "drop methods that begin with ui/notifications/sandbox- in the proxy, both ways",
    applies: Applies::ToHosts,
    run: Run::Host(|cx| {
        let scene = cx.shown("spoof")?;
        if scene.told.is_null() {
            return Err(Finding::blocked("the View of the scene spoof told nothing"));
        }
        let echoed = scene.fact("echoed").as_array().map(Vec::len).unwrap_or_default();
        if echoed > 0 {
            return Err(Finding::violated("no message", format!("{echoed} came back to the View")));
        }
        if scene.loads > 1 || scene.reads > 1 {
            let actual = format!("it was loaded {} times and read {} times", scene.loads, scene.reads);
            return Err(Finding::violated("one load of the document", actual));
        }
        cx.answer("spoof", "alive").map(drop)
    }),
    fault: &faults::RESERVED_RELAYED.fault,
};

/// The permissions of a resource, and the features that they stand for.
const FEATURES: [(&str, &str); 4] = [
    ("camera", "camera"),
    ("microphone", "microphone"),
    ("geolocation", "geolocation"),
    ("clipboardWrite", "clipboard-write"),
];

/// That what a View declares can be reached at all: where it cannot, silence elsewhere proves nothing.
fn control(cx: &HostCx<'_>) -> Verdict {
    if cx.scene("open")?.declared_hits.is_empty() {
        return Err(Finding::blocked_by(DECLARED_OPEN.id, "not even a declared origin was reached"));
    }
    Ok(())
}

/// Whether a way out was asked for at a witness.
fn reached(hits: &[String], way: &str) -> bool {
    hits.iter().any(|path| path.rsplit('/').next() == Some(way))
}

/// That nothing came to the undeclared origin, apart from what another check is about.
fn expect_unreached(scene: &SceneFacts, name: &str, apart: &[&str]) -> Verdict {
    let hits = if name == "undeclared" { &scene.undeclared_hits } else { &scene.declared_hits };
    let came = hits.iter().find(|path| !apart.iter().any(|way| path.ends_with(way)));
    expect_none(came, |path| Finding::violated("no request", format!("{path} was asked for")))
}
