/** Labels of Stripe's account requirements by name prefix; the first match wins. */
const LABELS: [begins: string, words: string][] = [
  ['external_account', 'A bank account for payouts'],
  ['tos_acceptance', 'Agreement to Stripe’s terms'],
  ['business_profile.url', 'The address of your website'],
  ['business_profile.mcc', 'What kind of business you are'],
  ['business_profile.product_description', 'What you sell, in a sentence'],
  ['business_profile.support_phone', 'How patients reach you for questions'],
  ['business_profile.support_email', 'How patients reach you for questions'],
  ['business_profile.support_address', 'How patients reach you for questions'],
  ['business_profile.support_url', 'How patients reach you for questions'],
  ['business_profile.name', 'The name of your business'],
  ['business_profile', 'Details about your business'],
  ['business_type', 'Whether you are a company or one person'],
  ['settings.payments.statement_descriptor', 'What stands on card statements'],
  ['company.verification', 'A document that proves the company'],
  ['company.tax_id', 'The company’s tax number'],
  ['company.address', 'The company’s address'],
  ['company.phone', 'The company’s phone number'],
  ['company.owners_provided', 'Who owns the company'],
  ['company.directors_provided', 'Who directs the company'],
  ['company.executives_provided', 'Who runs the company'],
  ['company', 'Details about the company'],
  ['verification', 'A document that proves who a person is'],
  ['id_number', 'A person’s tax or social security number'],
  ['ssn_last_4', 'The last four digits of a person’s social security number'],
  ['dob', 'A person’s date of birth'],
  ['address', 'A person’s address'],
  ['email', 'A person’s email address'],
  ['phone', 'A person’s phone number'],
  ['first_name', 'A person’s name'],
  ['last_name', 'A person’s name'],
  ['relationship', 'What a person does in the company'],
];
/** Prefixes of persons: `individual.dob.day`, `person_1ABC.verification.document`, `representative.email`. */
const OF_PERSON = /^(?:individual|representative|owners|directors|executives|person_[^.]+)\./;

/** Returns the labels of the requirements, each once. A requirement without a label is shown by its name. */
export function requirementLabels(names: readonly string[]): string[] {
  return [...new Set(names.map(labelOf))];
}

function labelOf(name: string): string {
  const field = name.replace(OF_PERSON, '');
  const found = LABELS.find(([begins]) => field === begins || field.startsWith(`${begins}.`));
  return found?.[1] ?? `Something that Stripe calls “${name.replaceAll(/[._]/g, ' ')}”`;
}
