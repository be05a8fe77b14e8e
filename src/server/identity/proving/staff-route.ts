/** The key by which a staff e-mail leads to its tenants. */
export const staffRoute = (email: string): string => `staff:${email.toLowerCase()}`;
