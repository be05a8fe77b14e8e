/** How mail in the name of the deployment's address is protected, as DNS says it. */
export type MailDomainView = {
  /** Null where the address is of no domain in the world, as in a sandbox. */
  domain: string | null;
  findings: MailFinding[];
};
export type MailFinding = {
  what: 'spf' | 'dkim' | 'dmarc';
  /** `unknown`: nobody answered, or it is not known what to look for. */
  state: 'good' | 'advice' | 'wrong' | 'unknown';
  title: string;
  detail: string;
};
