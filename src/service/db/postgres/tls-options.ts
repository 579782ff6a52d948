import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { platform } from 'node:process';
import type { ConnectionOptions } from 'node:tls';
import { Failure } from '../../../contract/errors.ts';
import { createReadFailure } from '../../../files/disk-errors.ts';
import type { DatabaseParameters } from '../../../values/database-url.ts';

const modes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** The value of `sslrootcert` for the certificates that Node trusts. */
const systemRoots = 'system';

/**
 * Returns the TLS options for `sslmode`, and whether a server without TLS may be used. Differences from libpq: `allow` is
 * the same as `prefer`, and neither falls back to an unencrypted connection if the server supports TLS.
 * @throws {Failure} `usage` for an unknown mode, or a certificate that is missing or unreadable
 */
export async function readTlsOptions(
  host: string,
  parameters: DatabaseParameters,
  home: string | undefined,
): Promise<{ readonly ssl: ConnectionOptions | false; readonly isTlsOptional: boolean }> {
  const mode = readMode(parameters);
  // TLS is not used on a Unix socket.
  if (host.startsWith('/') || mode === 'disable') return { ssl: false, isTlsOptional: false };
  const { sslrootcert, sslcert, sslkey } = findFiles(parameters, home);
  const isVerified = mode.startsWith('verify-') || (mode === 'require' && sslrootcert !== undefined);
  if (isVerified && sslrootcert === undefined)
    throw new Failure('usage', `sslmode: "${mode}" requires a CA certificate in sslrootcert.`, {
      hint: `Add sslrootcert=FILE to the URL or set PGSSLROOTCERT; for a public CA, use sslrootcert=${systemRoots}.`,
    });
  const ssl = {
    rejectUnauthorized: isVerified,
    ...(isVerified && sslrootcert !== systemRoots ? { ca: await readCertificate(sslrootcert) } : {}),
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
    ...(sslcert ? { cert: await readCertificate(sslcert), key: await readCertificate(sslkey) } : {}),
  };
  return { ssl, isTlsOptional: mode === 'allow' || mode === 'prefer' };
}

/** Returns `sslmode`. As with libpq, the default is `prefer`, and public authorities require `verify-full`. */
function readMode({ sslmode, sslrootcert }: DatabaseParameters) {
  const isPublic = sslrootcert === systemRoots;
  const requested = sslmode ?? (isPublic ? 'verify-full' : 'prefer');
  const mode = modes.find((known) => known === requested);
  if (mode === undefined)
    throw new Failure('usage', `sslmode: "${requested}" is not valid.`, { hint: `Use ${modes.join(', ')}.` });
  if (isPublic && mode !== 'verify-full')
    throw new Failure('usage', `sslmode: "${mode}" cannot be used with sslrootcert=${systemRoots}.`, {
      hint: 'Use sslmode=verify-full, because anyone can get a certificate from a public CA.',
    });
  return mode;
}

/** Returns the paths of certificates: those of the parameters, else those that exist in the folder of libpq. */
function findFiles({ sslrootcert, sslcert, sslkey }: DatabaseParameters, home: string | undefined) {
  const folder = home && join(home, platform === 'win32' ? 'postgresql' : '.postgresql');
  const find = (name: string) => {
    const path = folder && join(folder, name);
    return path && existsSync(path) ? path : undefined;
  };
  return {
    sslrootcert: sslrootcert ?? find('root.crt'),
    sslcert: sslcert ?? find('postgresql.crt'),
    sslkey: sslkey ?? find('postgresql.key'),
  };
}

async function readCertificate(path: string | undefined): Promise<string> {
  if (path === undefined)
    throw new Failure('usage', 'sslcert requires a private key.', {
      hint: 'Add sslkey=FILE to the URL or set PGSSLKEY.',
    });
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw createReadFailure(path, error);
  }
}
