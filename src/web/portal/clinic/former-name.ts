/**
 * The name of a calendar that the provider does not offer, told apart from one that it offers under the same name: a
 * clinic that changes its account takes the names along.
 */
export const formerName = (name: string, offered: { name: string }[]): string =>
  offered.some((calendar) => calendar.name === name) ? `${name} (former)` : name;
