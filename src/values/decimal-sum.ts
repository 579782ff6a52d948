/** Adds decimal numbers without rounding. */
export function createDecimalSum() {
  let digits = 0n;
  let scale = 0;
  return {
    /** Adds a number such as `-1.5e3`; ignores any other text. */
    add(text: string): void {
      const [, sign = '', whole = '', decimals = '', exponent = '0'] =
        /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
      if (whole === '') return;
      const places = decimals.length - Number(exponent);
      const added = BigInt(`${sign}${whole}${decimals}`) * 10n ** BigInt(Math.max(0, -places));
      const addedScale = Math.max(0, places);
      const common = Math.max(scale, addedScale);
      digits = digits * 10n ** BigInt(common - scale) + added * 10n ** BigInt(common - addedScale);
      scale = common;
    },
    /** Returns the sum with the decimals that it needs, at least `minimum`. */
    format(minimum = 0): string {
      const [, sign = '', number = ''] = /^(-?)(\d+)$/.exec(String(digits)) ?? [];
      const padded = number.padStart(scale + 1, '0');
      const whole = padded.slice(0, padded.length - scale);
      const decimals = padded
        .slice(padded.length - scale)
        .replace(/0+$/, '')
        .padEnd(minimum, '0');
      return `${sign}${whole}${decimals && `.${decimals}`}`;
    },
  };
}
