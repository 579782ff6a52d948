import { createRequire } from 'node:module';
import { Failure, type FailureCode, getErrorMessage } from '../contract/errors.ts';

/** An entry of @napi-rs/keyring. */
interface Entry {
  getPassword(): Promise<string | null>;
  setPassword(password: string): Promise<void>;
  deletePassword(): Promise<boolean>;
}

const service = 'kith';

/**
 * Formats the account of a profile. It contains the settings folder, because two folders may have profiles with the
 * same name.
 */
export function formatAccount(profile: string, settings: string): string {
  return `${profile} (${settings})`;
}

/** Reads the key of a profile. @throws {Failure} unauthorized if the keychain is locked or has no key. */
export async function readKey(account: string, profile: string): Promise<string> {
  const key = await useEntry('unauthorized', account, unlockHint, (entry) => entry.getPassword());
  if (key !== null) return key;
  throw new Failure('unauthorized', `The keychain has no key for profile ${profile}.`, {
    hint: `Sign in again: kith auth login --keychain --profile ${profile}`,
  });
}

/** Checks that the keychain can be used. @throws {Failure} failed. */
export async function checkKeychain(account: string): Promise<void> {
  await useEntry('failed', account, fileHint, (entry) => entry.getPassword());
}

/** Stores a key, and restores the previous one if `next` fails. @throws {Failure} failed. */
export function storeKey(account: string, key: string, next: () => Promise<void>): Promise<void> {
  return useEntry('failed', account, fileHint, async (entry) => {
    const previousKey = await entry.getPassword();
    await entry.setPassword(key);
    try {
      await next();
    } catch (error) {
      await (previousKey === null ? entry.deletePassword() : entry.setPassword(previousKey));
      throw error;
    }
  });
}

/** Deletes a key, if it exists. @throws {Failure} failed. */
export async function deleteKey(account: string): Promise<void> {
  await useEntry('failed', account, `The entry is ${service}, ${account}.`, (entry) =>
    entry.deletePassword(),
  );
}

const unlockHint = 'Unlock the keychain, or set KITH_API_KEY or KITH_API_KEY_FILE.';
const fileHint = 'Sign in without --keychain to store the key in a file that only you can read.';

async function useEntry<T>(
  code: FailureCode,
  account: string,
  hint: string,
  work: (entry: Entry) => Promise<T>,
): Promise<T> {
  try {
    const { AsyncEntry } = createRequire(import.meta.url)('@napi-rs/keyring');
    // The default, the kernel's keyring, loses its entries at the end of the session.
    return await work(new AsyncEntry(service, account, { linux: { store: 'secret-service' } }));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(code, `Cannot use the keychain: ${describeReason(error)}.`, { cause: error, hint });
  }
}

function describeReason(error: unknown): string {
  const text = getErrorMessage(error);
  if (/Cannot find (module|native binding)/i.test(text))
    return 'the package @napi-rs/keyring is not installed, or not for this machine';
  if (/prompt was dismissed|locked/i.test(text)) return 'it is locked';
  if (/dbus/i.test(text)) return 'this session has no Secret Service on D-Bus';
  return text;
}
