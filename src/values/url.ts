/**
 * The URL that a text is, read from another one where that is given; undefined where it is none. Not by
 * `URL.canParse`: once Node 20 has compiled that, after some thousand calls, "https://bücher.example" is none.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
