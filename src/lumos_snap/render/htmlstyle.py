"""The style of a report in HTML, and the policy that lets a browser apply it and nothing else."""

import base64
import hashlib

STYLE = """
:root {
  color-scheme: light dark;
  --page: #f6f7f9; --card: #ffffff; --text: #1b1f24; --quiet: #57606a; --line: #d5dae0;
  --code: #eef1f4; --link: #0757ad;
  --bad: #b3141d; --bad-back: #fdecec; --silent: #8a1a6f; --silent-back: #fbeaf6;
  --good: #12662f; --good-back: #e6f5ea; --open: #7a4b00; --open-back: #fdf3df;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0f1318; --card: #171c23; --text: #e6eaef; --quiet: #a2adb9; --line: #2e3742;
    --code: #222a34; --link: #79b8ff;
    --bad: #ff8a85; --bad-back: #3a1719; --silent: #f09bdb; --silent-back: #371630;
    --good: #74d391; --good-back: #12301d; --open: #f0c063; --open-back: #35270c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1, h2, h3 { line-height: 1.25; margin: 0; font-weight: 650; }
h1 { font-size: 1.5rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; }
p { margin: .4rem 0; }
a { color: var(--link); }
code {
  font: .875em/1.45 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
  background: var(--code); border-radius: .3rem; padding: .1em .35em; unicode-bidi: isolate;
}
.quiet { color: var(--quiet); font-size: .875rem; }
.verdict {
  background: var(--card); border: 1px solid var(--line); border-left: .4rem solid var(--tone);
  border-radius: .6rem; padding: 1.1rem 1.25rem;
}
.fail { --tone: var(--bad); --back: var(--bad-back); }
.pass { --tone: var(--good); --back: var(--good-back); }
.undecided { --tone: var(--open); --back: var(--open-back); }
.badge {
  display: inline-block; color: var(--tone); background: var(--back); border-radius: 1rem;
  padding: .1rem .7rem; font-size: .875rem; font-weight: 650; margin: 0 .3rem .3rem 0;
}
.breaking { --tone: var(--bad); --back: var(--bad-back); }
.silent { --tone: var(--silent); --back: var(--silent-back); }
.waived { --tone: var(--open); --back: var(--open-back); }
.non-breaking { --tone: var(--good); --back: var(--good-back); }
.informational { --tone: var(--quiet); --back: var(--code); }
.reach { font-size: 1.05rem; font-weight: 600; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; padding: 0; list-style: none; }
.tiles li {
  flex: 1 1 7rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem;
  padding: .6rem .9rem;
}
.tiles b { display: block; font-size: 1.4rem; color: var(--tone, var(--text)); line-height: 1.2; }
.tiles span { color: var(--quiet); font-size: .875rem; }
details {
  background: var(--card); border: 1px solid var(--line); border-radius: .6rem; margin: .7rem 0;
}
summary { cursor: pointer; padding: .75rem 1rem; }
summary code { font-weight: 650; }
details > :not(summary) { margin-left: 1rem; margin-right: 1rem; }
details > :last-child { margin-bottom: 1rem; }
details > details { margin: .9rem 1rem 0; }
.finding details { margin: .6rem 0 0; }
details details summary { padding: .4rem .75rem; font-size: .9rem; }
.finding { border-top: 1px solid var(--line); padding: .9rem 0 0; margin-top: .9rem; }
summary + .finding { border-top: 0; margin-top: 0; padding-top: 0; }
.finding h3 { color: var(--text); }
.finding h3 .sign { color: var(--tone); font-weight: 800; margin-right: .35rem; }
.told { display: grid; grid-template-columns: 7rem 1fr; gap: .25rem .75rem; margin: .5rem 0 0; }
.told dt { color: var(--quiet); }
.told dd { margin: 0; }
ul, ol { margin: .4rem 0; padding-left: 1.3rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .3rem 0; }
details > table { width: calc(100% - 2rem); }
th, td {
  text-align: left; vertical-align: top; padding: .45rem .6rem .45rem 0;
  border-top: 1px solid var(--line);
}
thead th { color: var(--quiet); font-weight: 500; border-top: 0; }
@media (max-width: 40rem) {
  main { padding: .75rem .6rem 3rem; }
  h1 { font-size: 1.25rem; }
  .told { grid-template-columns: 1fr; gap: 0; }
  .told dt { margin-top: .45rem; font-size: .85rem; }
  .tiles li { flex-basis: 6rem; padding: .45rem .7rem; }
  thead { display: none; }
  tr { display: block; border-top: 1px solid var(--line); padding: .4rem 0; }
  td { display: block; border: 0; padding: .1rem 0; }
}
@media print { body { background: none; } details { break-inside: avoid-page; } }
"""

_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
"""No script, no picture, no request: only this style."""
