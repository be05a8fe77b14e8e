/**
 * The two configuration tokens of the clinic, from the portal under Settings → API
 * credentials. They are public, no secrets: every copy of an app has them.
 */
export const TOKENS = {
  passwordless: '',
  credentials: '',
};
