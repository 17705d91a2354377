import { exponentOfPaymentCurrency } from './currencies';

/**
 * An amount as people of a place write it, with the code of its currency: `USD 1,234.50`, `1.234,50 EUR`. For doors
 * alone: nothing reads it back, and nothing is stored or compared in this form. The decimals are those of ISO 4217,
 * not of the place; a currency that is unknown, or a value that is no decimal string, is shown as it is.
 *
 * @param value in major units, such as "49.00"; every digit is kept, no float is made of it
 * @param locale a BCP 47 tag; without one it is the plain `49.00 USD`
 */
export function localizedAmount(value: string, currency: string, locale: string | undefined): string {
  const exponent = exponentOfPaymentCurrency(currency);
  if (locale === undefined || exponent === undefined || !isDecimal(value)) return `${value} ${currency}`;
  return (
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'code',
      minimumFractionDigits: exponent,
      maximumFractionDigits: exponent,
    })
      .format(value)
      // Terminals and searches know one kind of space.
      .replace(/[\u00a0\u202f]/g, ' ')
  );
}

function isDecimal(value: string): value is `${number}` {
  return /^\d{1,20}(?:\.\d{1,4})?$/.test(value);
}
