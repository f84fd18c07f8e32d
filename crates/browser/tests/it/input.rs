use serde_json::json;

use crate::site::{Route, TIMEOUT, open};

const FORM: &[Route] = &[
    (
        "/",
        None,
        "<button style='margin-top: 1500px' onclick='window.clicked = event.isTrusted'>main</button>
         <iframe src='{b}/middle' style='border: 7px solid; margin: 11px; width: 500px; height: 300px'></iframe>",
    ),
    ("/middle", None, "<p>above</p><iframe src='{c}/form' style='margin: 13px; height: 120px'></iframe>"),
    (
        "/form",
        None,
        "<body style='height: 900px'><input style='margin-top: 400px'><button>go</button><script>
         const keys = [];
         document.querySelector('input').addEventListener('keydown', it => keys.push(it.code));
         document.querySelector('button').onclick = it => { window.result = document.querySelector('input').value };
         document.onkeydown = it => { if (it.key == 'Enter') window.entered = true };
         </script>",
    ),
];

#[tokio::test]
async fn mouse_and_keyboard_reach_elements_in_nested_processes() {
    let (_browser, page, _) = open(FORM).await;
    let form = page.frame_at("/form", TIMEOUT).await.unwrap();
    assert!(form.info().unwrap().isolated);
    form.type_into("input", "Hi, \"wörld\" 5%").await.unwrap();
    assert_eq!(form.eval("document.querySelector('input').value").await.unwrap(), "Hi, \"wörld\" 5%");
    assert_eq!(form.eval("keys.slice(0, 4)").await.unwrap(), json!(["KeyH", "KeyI", "Comma", "Space"]));
    form.press("Enter").await.unwrap();
    form.wait_for("window.entered", TIMEOUT).await.unwrap();
    form.press("Backspace").await.unwrap();
    form.click("button").await.unwrap();
    assert_eq!(form.wait_for("window.result", TIMEOUT).await.unwrap(), "Hi, \"wörld\" 5");
}

#[tokio::test]
async fn a_click_scrolls_and_is_trusted() {
    let (_browser, page, _) = open(FORM).await;
    page.click("button").await.unwrap();
    assert_eq!(page.wait_for("window.clicked", TIMEOUT).await.unwrap(), true);
    let key = page.press("Nokey").await.unwrap_err();
    assert!(key.to_string().contains("unknown key \"Nokey\""), "{key}");
}
