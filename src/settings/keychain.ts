import { createRequire } from 'node:module';
import { Failure, type FailureCode, getErrorMessage } from '../contract/errors.ts';

/** The part of @napi-rs/keyring that is used here. */
interface Entry {
  getPassword(): Promise<string | null>;
  setPassword(password: string): Promise<void>;
  deletePassword(): Promise<boolean>;
}

/** What the entries are filed under, with the account. */
const service = 'kith';

/** What a profile goes by in the keychain: two folders of settings may each have one of the same name. */
export function formatAccount(profile: string, settings: string): string {
  return `${profile} (${settings})`;
}

/** The key of a profile. Throws `unauthorized` where the keychain does not give it. */
export async function readKey(account: string, profile: string): Promise<string> {
  const key = await used('unauthorized', account, instead, (entry) => entry.getPassword());
  if (key !== null) return key;
  throw new Failure('unauthorized', `The keychain has no key for the profile ${profile}: it is gone.`, {
    hint: `Sign in again: kith auth login --keychain --profile ${profile}`,
  });
}

/** Throws `failed` where there is no keychain that can be used, before anybody is asked for a key. */
export async function checkKeychain(account: string): Promise<void> {
  await used('failed', account, without, (entry) => entry.getPassword());
}

/** Puts a key into the keychain, to stay there if what follows works. Throws `failed`; then nothing is changed. */
export function storeKey(account: string, key: string, then: () => Promise<void>): Promise<void> {
  return used('failed', account, without, async (entry) => {
    const before = await entry.getPassword();
    await entry.setPassword(key);
    try {
      await then();
    } catch (error) {
      await (before === null ? entry.deletePassword() : entry.setPassword(before));
      throw error;
    }
  });
}

/** Takes a key out of the keychain; one that is gone already is no failure. Throws `failed`. */
export async function deleteKey(account: string): Promise<void> {
  await used('failed', account, `The entry is called ${service}, ${account}.`, (entry) =>
    entry.deletePassword(),
  );
}

const instead = 'Unlock it, or give the key in KITH_API_KEY or in the file of KITH_API_KEY_FILE.';
const without = 'Sign in without --keychain: the key goes into a file that only you can read.';

async function used<T>(
  code: FailureCode,
  account: string,
  hint: string,
  work: (entry: Entry) => Promise<T>,
): Promise<T> {
  try {
    return await work(entryOf(account));
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(code, `Cannot use the keychain: ${reasonOf(error)}.`, { cause: error, hint });
  }
}

function entryOf(account: string): Entry {
  const { AsyncEntry } = createRequire(import.meta.url)('@napi-rs/keyring');
  // Without a keychain it would take the kernel's keyring, which forgets all when the session ends.
  return new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
}

function reasonOf(error: unknown): string {
  const text = getErrorMessage(error);
  if (/Cannot find (module|native binding)/i.test(text))
    return 'the package @napi-rs/keyring is not installed, or not for this machine';
  if (/prompt was dismissed|locked/i.test(text)) return 'it is locked';
  if (/dbus/i.test(text)) return 'this session has none (no Secret Service answers on D-Bus)';
  return text;
}
