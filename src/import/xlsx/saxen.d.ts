// saxen has no types of its own.
declare module 'saxen' {
  export class Parser {
    on(
      event: 'openTag',
      handle: (
        name: string,
        attributes: () => Record<string, string>,
        decode: (text: string) => string,
      ) => void,
    ): this;
    on(event: 'closeTag', handle: (name: string) => void): this;
    on(event: 'text', handle: (text: string, decode: (text: string) => string) => void): this;
    on(event: 'cdata', handle: (text: string) => void): this;
    on(event: 'attention', handle: (text: string) => void): this;
    on(event: 'error' | 'warn', handle: (error: Error) => void): this;
    write(chunk: string): this;
    /** Returns the error if the document is not complete. */
    end(): Error | undefined;
  }
}
