/** The key by which a staff email leads to its tenants. */
export const staffRoute = (email: string): string => `staff:${email.toLowerCase()}`;
