/** How email from the deployment's sender address is protected, according to DNS. */
export type MailDomainView = {
  /** Null when the address has no public domain, as in a sandbox. */
  domain: string | null;
  findings: MailFinding[];
};
export type MailFinding = {
  what: 'spf' | 'dkim' | 'dmarc';
  /** `unknown`: DNS did not respond, or the DKIM selector to look up is not known. */
  state: 'good' | 'advice' | 'wrong' | 'unknown';
  title: string;
  detail: string;
};
