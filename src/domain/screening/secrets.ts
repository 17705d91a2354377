import { isTokenFormed } from '../access/apiToken';
import { findPatterns, type Pattern, type Span } from './span';

const holdsDigit = (value: string): boolean => /[0-9]/.test(value);

/** What follows "my password is" in complaints about passwords, which are no passwords. */
const plainWord =
  /^(?:not|no|wrong|incorrect|invalid|expired|reset|resets|forgotten|lost|required|needed|missing|changed|working|blocked|locked|the|a|an|in|on|to|for|my|your|still|too|very|also|never|always|being|been|was|correct|fine|please|see|falsch|nicht|incorrecto|incorrecta|incorrect[eo]?|oublie|olvidada|no\b.*)[.,!?;]?$/i;

/** Credentials whose issuer marks them, so the shape is enough. */
const marked: readonly Pattern[] = [
  // Our own, which a provider's `cs_…` ids are told from by the checksum.
  { shape: /(?<![A-Za-z0-9])cs_[A-Za-z0-9_-]{20,200}/g, holds: isTokenFormed },
  { shape: /(?<![a-z0-9])(?:sk|rk)_(?:live|test)_[a-z0-9]{8,}/gi },
  { shape: /(?<![a-z0-9])whsec_[a-z0-9+/=_-]{12,}/gi },
  { shape: /(?<![a-z0-9_-])sk-(?:[a-z0-9]{1,12}-)?[a-z0-9_-]{20,}/gi, holds: holdsDigit },
  { shape: /(?<![A-Z0-9])(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA|AIPA)[A-Z0-9]{16}(?![A-Z0-9])/g },
  {
    shape:
      /(?<![a-z0-9])(?:gh[pousr]_[a-z0-9]{30,}|github_pat_[a-z0-9_]{22,}|glpat-[a-z0-9_-]{20,}|npm_[a-z0-9]{36})/gi,
  },
  { shape: /(?<![a-z0-9])xox[abeoprs]-[a-z0-9-]{10,}/gi },
  { shape: /(?<![a-z0-9])AIza[a-z0-9_-]{35}/gi },
  { shape: /(?<![a-z0-9])SG\.[a-z0-9_-]{16,32}\.[a-z0-9_-]{16,64}/gi },
  { shape: /(?<![a-z0-9_-])eyJ[a-z0-9_-]{8,}\.[a-z0-9_-]{4,}(?:\.[a-z0-9_-]*)?/gi },
  { shape: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[a-z0-9+/=:,\s-]*/gi },
  { shape: /(?<![a-z])(?:bearer|basic)[ \t]{1,4}([a-z0-9._~+/-]{16,}=*)/gi, holds: holdsDigit },
  { shape: /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@]{0,100}:[^\s/@]{1,200}@/gi },
];

/** Credentials by what stands before them. */
const named: readonly Pattern[] = [
  {
    shape:
      /(?:(?<![a-z])(?:password|passwd|passcode|passphrase|pwd|contrasena|mot de passe|passwort|kennwort|senha|wachtwoord|haslo|sifre)|пароль|密码|密碼|口令|パスワード|비밀번호|كلمة المرور|كلمة السر|पासवर्ड|পাসওয়ার্ড)(?:[ \t]{0,3}[:=：][ \t]{0,3}|[ \t]{1,3}(?:is|was|are|es|est|ist|lautet|e)[ \t:]{1,3}|[是は为][ \t:]{0,3}|[ \t]{1,3}(?:to[ \t]{1,3})?(?=\S{6})(?=\S{0,40}[0-9])(?=\S{0,40}\p{L}))["'`]?([^\s"'`]{3,200})/giu,
    holds: (value) => !plainWord.test(value),
  },
  {
    shape:
      /(?<![a-z])(?:api|access|secret|private|signing|encryption|webhook|client|auth|account)[ _-]?(?:key|secret|token|credential)s?["']?[ \t]{0,3}(?:is|[:=])?[ \t]{0,3}["']?([a-z0-9+/_=.-]{16,})/gi,
    holds: holdsDigit,
  },
  {
    shape: /(?<![a-z])(?:secret|token)["']?[ \t]{0,3}(?:is|[:=])[ \t]{0,3}["']?([a-z0-9+/_=.-]{20,})/gi,
    holds: holdsDigit,
  },
  // Not "pin code": in India that is a part of the address.
  { shape: /(?<![a-z])pin(?: number)?[ \t]{0,2}(?:is[ \t]{1,3}|[:=][ \t]{0,3})[0-9]{4,6}(?![0-9])/gi },
];

/** Keys, tokens and passwords in folded text. */
export function findSecrets(text: string): Span[] {
  return findPatterns(text, [...marked, ...named]);
}

const securityCodes: readonly Pattern[] = [
  {
    shape:
      /(?<![a-z])(?:cvv2?|cvc2?|cvn2?|csc|card (?:security|verification) (?:code|value|number)|security code|kartenprufnummer|codigo de seguridad|codigo de seguranca|cryptogramme)[ \t]{0,3}(?:code|number|no)?[ \t:=#.-]{0,4}(?:(?:is|es|est|ist|e|of)[ \t:]{1,3})?[0-9](?:[ \t]?[0-9]){2,3}(?![0-9])/gi,
  },
];

/** Card security codes that are named as such, in folded text. */
export function findSecurityCodes(text: string): Span[] {
  return findPatterns(text, securityCodes);
}
