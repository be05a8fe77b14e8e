/**
 * The name of a calendar that the provider does not offer, marked where an offered calendar has the same name: clinics
 * reuse names when they change their account.
 */
export const formerName = (name: string, offered: { name: string }[]): string =>
  offered.some((calendar) => calendar.name === name) ? `${name} (former)` : name;
