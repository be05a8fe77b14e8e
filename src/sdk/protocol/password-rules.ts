/** Common passwords that pass the length rule, and the words that are doubled or tripled to pass it. Lower case. */
const COMMON_PASSWORDS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ (
    '123456 1234567 12345678 123456789 1234567890 12345678910 123456789012 1234567891011 12345678901234567890 ' +
    '012345678910 0123456789012 1234567890123 12345678900987654321 123456654321 123456789987654321 987654321098 ' +
    '098765432109 0987654321234567890 123123123 123456123456 123321123321 121212121212 112233445566 11223344556677 ' +
    '147258369147 147258369000 147852369147 159753159753 159357159357 741852963741 123qwe123qwe 123abc123abc ' +
    'abc123abc123 abcd1234abcd abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefghijklmnopqrstuvwxyz abcdefg12345 ' +
    'abcdef123456 abc123456789 123456789abc 1234567890ab 123456abcdef a1b2c3d4e5f6 a1b2c3d4e5f6g7 1a2b3c4d5e6f ' +
    '1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p q1w2e3r4t5y6 q1w2e3r4t5y6u7i8 1qaz2wsx3edc ' +
    '1qaz2wsx3edc4rfv 1qazxsw23edc zaq12wsxcde3 zaq1xsw2cde3 qazwsxedcrfv qazwsxedc123 qazwsxedcrfvtgb qwertyuiop ' +
    'qwertyuiop12 qwertyuiop123 qwertyuiop1234 qwertyuiop[] qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm ' +
    'qwerty123456 qwerty12345678 qwerty123456789 123456qwerty 123456789qwerty qwerty qwertyqwerty asdfghjkl ' +
    "asdfghjkl123 asdfghjkl;' asdfghjklzxcvbnm asdfasdfasdf zxcvbnm zxcvbnm12345 zxcvbnmasdfghjkl password " +
    'password1 password12 password123 password1234 password12345 password123456 password1234567890 password123! ' +
    'password1234! password@123 password@1234 password2024 password2024! password2025 password2025! password2026 ' +
    'password2026! mypassword mypassword1 mypassword12 mypassword123 newpassword1 newpassword123 yourpassword ' +
    'passwordpassword passw0rd1234 passw0rd12345 p@ssw0rd1234 p@ssword1234 p@ssw0rd12345 pa$$word1234 ' +
    'thisismypassword nopassword12 changeme changeme1234 changeme12345 changemenow! letmein letmein12345 letmeinplease ' +
    'letmein123456 welcome welcome12345 welcome123456 welcome@1234 welcome2025! welcome2026! administrator ' +
    'administrator1 administrator123 admin1234567 admin123456789 adminadminadmin adminadmin12 rootrootroot secret ' +
    'secretsecret topsecret123 temporary123 temppassword testtesttest test12345678 testpassword testpassword1 ' +
    'guestguestguest iloveyou iloveyou1234 iloveyou12345 iloveyou1234567 iloveyou2025 iloveyou2026 iloveyouforever ' +
    'iloveyousomuch iloveyoubaby ilovemyfamily ilovemymom12 ilovejesus12 jesuschrist1 jesusislord1 jesuslovesme ' +
    'godisgood123 princess1234 princess12345 sunshine sunshine1234 sunshine12345 football football1234 baseball ' +
    'baseball1234 basketball12 basketball123 superman1234 batman123456 spiderman123 starwars1234 pokemon123456 ' +
    'dragon123456 monkey123456 michael12345 jordan123456 charlie12345 liverpool123 manchester123 chocolate123 ' +
    'butterfly123 computer1234 internet1234 samsung12345 google123456 facebook1234 facebook12345 instagram123 ' +
    'whatsapp1234 minecraft123 trustno1trustno1 correcthorsebatterystaple whateverwhatever blahblahblah ' +
    'doctor123456 hospital1234 healthcare1 healthcare123 healthcare2025 healthcare2026 medicine1234 patient12345'
  ).split(' '),
);

const LENGTH = { min: 12, max: 256 };
/** Shorter names, like "jo", occur in good passwords by chance. */
const MIN_NAME_LENGTH = 3;

export type PasswordError = {
  code: 'password_too_short' | 'password_too_long' | 'password_too_common' | 'password_contains_email';
  message: string;
};

/**
 * Returns the problem with a new password, or null: it must be long, not common and must not contain the email's name;
 * there are no rules of composition (NIST SP 800-63B §3.1.1.2). A patient's password is validated by the client, which
 * is the only one to see it; a staff user's by the service.
 */
export function passwordError(password: string, email: string): PasswordError | null {
  const normal = String(password).normalize('NFKC');
  const length = [...normal].length;
  const lower = normal.toLowerCase();
  const name = email.normalize('NFKC').toLowerCase().split('@', 1).join();
  if (length < LENGTH.min)
    return { code: 'password_too_short', message: `The password needs at least ${LENGTH.min} characters.` };
  if (length > LENGTH.max)
    return { code: 'password_too_long', message: `The password may have at most ${LENGTH.max} characters.` };
  if (isCommon(lower)) return { code: 'password_too_common', message: 'This password is too easy to guess.' };
  if (name.length >= MIN_NAME_LENGTH && lower.includes(name))
    return { code: 'password_contains_email', message: 'The password must not contain the name in the email.' };
  return null;
}

/** Whether the password is in the list, or a repetition of an entry. */
function isCommon(lower: string): boolean {
  if (COMMON_PASSWORDS.has(lower)) return true;
  const period = (lower + lower).indexOf(lower, 1);
  return period < lower.length && (period <= 4 || COMMON_PASSWORDS.has(lower.slice(0, period)));
}
