/** The style sheet of a report's page. It prints in light colors. */
export const pageStyle = `
:root {
  color-scheme: light;
  --paper: #fff; --ink: #1b1f24; --soft: #5b626c; --line: #e3e6ea; --track: #eef0f3;
  --bar: #3a6fd8; --won: #2b8a57; --lost: #a3aab4; --none: #c2c7cf;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    color-scheme: dark;
    --paper: #15181c; --ink: #e7eaee; --soft: #9da5af; --line: #2b3037; --track: #23272d;
    --bar: #6f9df2; --won: #57ba88; --lost: #727a85; --none: #4c535d;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
main { max-width: 1040px; margin: 0 auto; padding: 48px 24px 40px; }
h1 { margin: 0; font-size: 30px; line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; overflow-wrap: anywhere; }
.subject { margin: 6px 0 0; font-size: 17px; color: var(--soft); overflow-wrap: anywhere; }
.facts { margin: 18px 0 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 4px 20px; font-size: 13px; color: var(--soft); }
.facts li { overflow-wrap: anywhere; min-width: 0; }
.facts b { font-weight: 600; color: var(--ink); }
.figures { margin: 32px 0 0; padding: 20px 0; display: flex; flex-wrap: wrap; gap: 20px 56px; border: solid var(--line); border-width: 1px 0; }
.figures dt { font-size: 13px; color: var(--soft); }
.figures dd { margin: 2px 0 0; font-size: 24px; line-height: 1.2; font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.formula { margin: 10px 0 0; font-size: 13px; color: var(--soft); }
.numbers {
  margin: 44px 0 0; overflow-x: auto;
  background: linear-gradient(to left, var(--paper) 40%, transparent) right / 36px 100% no-repeat local, linear-gradient(to left, var(--line), transparent) right / 14px 100% no-repeat scroll;
}
table { width: 100%; border-collapse: collapse; font-size: 14px; }
caption { text-align: start; margin: 0 0 8px; font-size: 14px; font-weight: 600; }
th, td { padding: 8px 0 8px 24px; border-bottom: 1px solid var(--line); text-align: right; vertical-align: baseline; white-space: nowrap; font-variant-numeric: tabular-nums; }
thead th { font-size: 13px; font-weight: 500; color: var(--soft); }
th:first-child, td:first-child { padding-left: 0; }
.groups th:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 9em; }
tbody th { font-weight: 400; }
tr.none th, small { color: var(--soft); }
small { display: inline-block; min-width: 4em; font-size: 0.93em; }
td i { display: block; margin-top: 4px; height: 6px; border-radius: 3px; background: var(--track); overflow: hidden; }
td b { display: block; height: 100%; border-radius: 3px; background: var(--bar); }
tr.won b { background: var(--won); }
tr.lost b { background: var(--lost); }
tr.none b { background: var(--none); }
.entries th, .entries td { text-align: left; }
.entries td:nth-child(2) { white-space: normal; overflow-wrap: break-word; }
.entries th:last-child, .entries td:last-child { text-align: right; }
h2 { margin: 32px 0 8px; font-size: 17px; font-weight: 600; }
.lines { margin: 0; padding: 0; list-style: none; }
.lines li { padding: 6px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; break-inside: avoid; }
.lines small { display: block; }
footer { margin: 32px 0 0; font-size: 13px; color: var(--soft); }
footer p { margin: 4px 0 0; }
@media (max-width: 720px) {
  main { padding: 28px 18px; }
  h1 { font-size: 25px; }
  .figures { gap: 16px 36px; }
  .figures dd { font-size: 20px; }
  th, td { padding-left: 16px; }
}
@media print {
  @page { margin: 16mm 14mm; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  th, td, thead th { padding-left: 12px; font-size: 12px; }
  .groups th:first-child { min-width: 6em; }
  td i, td b { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .numbers { overflow: visible; background: none; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
}
`;
