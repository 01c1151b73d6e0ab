/* SPDX-License-Identifier: MIT
 * report_style.h -- looks of a report's page, and of what its script adds.
 */
#ifndef REPORTS_REPORT_STYLE_H
#define REPORTS_REPORT_STYLE_H

#define REPORT_STYLE                                                                           \
	"[hidden]{display:none !important}\n"                                                  \
	"html{scroll-padding-top:12px}\n"                                                      \
	"body{padding-top:16px}\n"                                                             \
	"h1{font-size:15px;color:#59636e;font-weight:600;margin:0 0 8px}\n"                    \
	".file-name{font-size:22px;margin:0 0 6px;overflow-wrap:anywhere}\n"                   \
	".diff figure,.trend figure{margin-bottom:14px}\n"                                     \
	".diff~.file .file-name,.trend~.file .file-name{margin-top:32px}\n"                    \
	".device-name{font-size:15px;margin:14px 0 0}\n"                                       \
	".answer{font-size:17px;line-height:1.4;overflow-wrap:anywhere}\n"                     \
	".advice{overflow-wrap:anywhere}\n"                                                    \
	"p,li,dd{overflow-wrap:anywhere}\n"                                                    \
	".warning{border-left:4px solid #e69f00;padding-left:10px}\n"                          \
	".facts{margin:12px 0}\n"                                                              \
	".file{margin-bottom:40px}\n"                                                          \
	"h3{font-size:15px;margin:18px 0 6px}\n"                                               \
	"details{margin:10px 0}\n"                                                             \
	"summary{cursor:pointer;overflow-wrap:anywhere;min-height:24px}\n"                     \
	".file details:not(details details) summary{font-weight:600}\n"                        \
	"details details summary{font-weight:400 !important}\n"                                \
	"pre{overflow-x:auto;background:#f6f8fa;border:1px solid #d8dee4;border-radius:6px;"   \
	"padding:8px 12px;font:12px/1.5 ui-monospace,'DejaVu Sans Mono',monospace}\n"          \
	"pre.lines{width:fit-content;max-width:100%;box-sizing:border-box;"                    \
	"white-space:pre-wrap;overflow-wrap:anywhere}\n"                                       \
	".pairs{display:grid;grid-template-columns:repeat(auto-fill,minmax(320px,1fr));"       \
	"gap:2px 24px;margin:6px 0}\n"                                                         \
	".pairs div{display:flex;gap:10px}\n"                                                  \
	".pairs dt{color:#59636e;flex:0 0 11em}.pairs dd{margin:0}\n"                          \
	"td.name{text-align:left;min-width:7em}\n" /* What the script adds. */                 \
	".switch{display:flex;gap:8px;flex-wrap:wrap;align-items:center}\n"                    \
	".viewer{background:#ffffff;border:1px solid #d8dee4;border-radius:8px;margin:12px 0;" \
	"font-size:13px}\n"                                                                    \
	".bar{display:flex;flex-wrap:wrap;gap:6px 10px;align-items:center;padding:8px 12px;"   \
	"border-bottom:1px solid #d8dee4}\n"                                                   \
	".bar label{display:inline-flex;gap:5px;align-items:center;color:#59636e}\n"           \
	".bar .grow{flex:1}\n"                                                                 \
	"button,select,input{font:inherit;color:inherit;background:#f6f8fa;"                   \
	"border:1px solid #c6ccd3;border-radius:6px;min-height:26px;padding:1px 8px}\n"        \
	"button[aria-pressed=true],button[aria-selected=true]{background:#0072b2;"             \
	"border-color:#0072b2;color:#ffffff}\n"                                                \
	"input[type=search]{width:18em;background:#ffffff}\n"                                  \
	":focus-visible{outline:2px solid #0072b2;outline-offset:1px}\n"                       \
	".stage{position:relative;touch-action:none}\n"                                        \
	".stage canvas{display:block;width:100%}\n"                                            \
	".stage canvas.over{position:absolute;left:0;top:0;cursor:crosshair}\n"                \
	".pane-title{padding:6px 12px 0;color:#59636e}\n"                                      \
	".legend{display:flex;flex-wrap:wrap;gap:3px 14px;padding:6px 12px;color:#59636e}\n"   \
	".legend span{display:inline-flex;gap:5px;align-items:center;max-width:34em;"          \
	"overflow:hidden;text-overflow:ellipsis;white-space:nowrap;unicode-bidi:isolate}\n"    \
	".legend i{flex:none;width:12px;height:12px;border:1px solid #8c959f;"                 \
	"border-radius:2px}\n"                                                                 \
	".tip{position:absolute;pointer-events:none;background:#1f2328;color:#ffffff;"         \
	"border-radius:6px;padding:6px 9px;font-size:12px;line-height:1.45;max-width:440px;"   \
	"overflow-wrap:anywhere;white-space:pre-line;unicode-bidi:isolate;z-index:3}\n"        \
	".readout{padding:6px 12px;border-top:1px solid #d8dee4;min-height:20px;"              \
	"overflow-wrap:anywhere}\n"                                                            \
	".panel-note:empty{display:none}\n"                                                    \
	".pinned{border-top:1px solid #d8dee4;padding:8px 12px}\n"                             \
	".pinned pre{max-height:240px;margin:6px 0 0;overflow:auto}\n"                         \
	".tabs{display:flex;gap:6px;padding:8px 12px;border-top:1px solid #d8dee4;"            \
	"flex-wrap:wrap}\n"                                                                    \
	".rows{height:340px;overflow:auto;position:relative;border-top:1px solid #d8dee4}\n"   \
	".rows table{border:0;width:100%;min-width:820px;table-layout:fixed;font-size:12px}\n" \
	".rows th,.rows td{padding:2px 8px;height:20px;line-height:18px;overflow:hidden;"      \
	"text-overflow:ellipsis;border-bottom:1px solid #eef1f4}\n"                            \
	".rows thead th{position:sticky;top:0;z-index:1;cursor:pointer}\n"                     \
	".rows th button.by{all:unset;display:block;width:100%;cursor:pointer}\n"              \
	".rows th button.by:focus-visible{outline:2px solid #0072b2}\n"                        \
	".rows th[aria-sort=descending] button.by::after{content:' \\2193'}\n"                 \
	".rows th[aria-sort=ascending] button.by::after{content:' \\2191'}\n"                  \
	".rows tr[aria-selected=true] td{background:#cfe6f5}\n"                                \
	".rows td.name{white-space:nowrap;direction:rtl;text-align:left;min-width:0;"          \
	"max-width:none}\n" /* A path is cut at its front. */                                  \
	".rows bdi{direction:ltr}\n"                                                           \
	"dialog{border:1px solid #c6ccd3;border-radius:8px;max-width:640px}\n"                 \
	"dialog dl{display:grid;grid-template-columns:auto 1fr;gap:4px 16px}\n"                \
	"dialog dd{margin:0}kbd{font:12px ui-monospace,monospace;background:#eef1f4;"          \
	"border:1px solid #c6ccd3;border-radius:4px;padding:0 5px;color:#1f2328}\n"            \
	".only-heard{position:absolute;width:1px;height:1px;overflow:hidden;"                  \
	"clip-path:inset(50%)}\n"                                                              \
	"@media screen and (prefers-color-scheme:dark){\n"                                     \
	"h1,.bar label,.legend,.pane-title,.pairs dt{color:#a0a8b4}\n"                         \
	"pre,.viewer,dialog{background:#16181d;border-color:#2e333c;color:#e6e9ee}\n"          \
	".bar,.readout,.pinned,.tabs,.rows{border-color:#2e333c}\n"                            \
	"kbd{background:#23272f;border-color:#3c434e;color:#e6e9ee}\n"                         \
	"button,select,input{background:#23272f;border-color:#3c434e}\n"                       \
	"button[aria-pressed=true],button[aria-selected=true]{background:#1f6fa5;"             \
	"border-color:#1f6fa5}\n"                                                              \
	"input[type=search]{background:#1b1e24}\n"                                             \
	".rows th,.rows td{border-color:#23272f}\n"                                            \
	".rows tr[aria-selected=true] td{background:#1f4a66}\n"                                \
	".tip{background:#e6e9ee;color:#16181d}\n"                                             \
	":focus-visible{outline-color:#8fd0f7}\n"                                              \
	"}\n"                                                                                  \
	"@media print{.viewer,.switch{display:none}\n"                                         \
	"figure.timeline{display:block !important}\n"                                          \
	"pre{white-space:pre-wrap;overflow-wrap:anywhere}\n"                                   \
	"h3,summary{break-after:avoid}\n"                                                      \
	"details:not(details details)::details-content{content-visibility:visible;"            \
	"height:auto}\n"                                                                       \
	"}\n"

#endif
