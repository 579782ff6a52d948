/** An object that is made when anything is first asked of it. */
export function late<T extends object>(make: () => T): T {
  let made: T | undefined;
  // The type says what it has; nothing of it is there before it is made.
  return new Proxy({} as T, {
    get(_, name) {
      made ??= make();
      const value: unknown = Reflect.get(made, name);
      return typeof value === 'function' ? value.bind(made) : value;
    },
  });
}
