/** Escapes a text for the content of an element in HTML, SVG, XML or WebVTT; not for an attribute. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
