export const LOGO_BYTES = 256_000;
export const LOGO_TOO_LARGE = 'This picture is larger than 256 kB. Save it smaller, and try again.';
