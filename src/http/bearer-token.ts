import { hash } from 'node:crypto';

/** Returns the SHA-256 of a secret in hexadecimal. Comparing hashes does not show how much of a secret is right. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex');

/** Returns the secret in an Authorization header; undefined if there is no secret. */
export const parseBearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
