// saxen has no types of its own.
declare module 'saxen' {
  type Decode = (text: string) => string;
  type ReadAttributes = () => Record<string, string>;
  export class Parser {
    on(event: 'openTag', handle: (name: string, read: ReadAttributes, decode: Decode) => void): this;
    on(event: 'text', handle: (text: string, decode: Decode) => void): this;
    on(event: 'closeTag' | 'cdata' | 'attention', handle: (text: string) => void): this;
    on(event: 'error', handle: (error: Error) => void): this;
    write(chunk: string): this;
    /** Returns the error if the document is not complete. */
    end(): Error | undefined;
  }
}
