import type { MailDomainView, MailFinding } from '#contract/message-settings.ts';
import { requireStaff } from '#server/core/actor.ts';
import type { Context } from '#server/core/context.ts';
import { resolveTxtRecords } from '#server/providers/dns.ts';

/** Reserved names without an owner (RFC 2606, RFC 6761). */
const RESERVED_NAMES = /(^|\.)(localhost|test|example|invalid|local)$/;
type Finding = Omit<MailFinding, 'what'>;

const LOOKUP_FAILED: Finding = {
  state: 'unknown',
  title: 'could not be looked up',
  detail: 'The name servers gave no answer. Open this page again in a while.',
};

/**
 * Checks whether receivers can verify the service's emails: the current DNS records for SPF (RFC 7208), DKIM (RFC 6376)
 * and DMARC (RFC 7489) of the sender's domain. Staff only.
 * @throws `forbidden`
 */
export async function checkMailDomain({ actor, config }: Context): Promise<MailDomainView> {
  requireStaff(actor, 'settings:manage');
  const domain = config.mail?.from.address.split('@').at(-1)?.toLowerCase() ?? '';
  if (!domain.includes('.') || RESERVED_NAMES.test(domain)) return { domain: null, findings: [] };
  const [spf, dkim, dmarc] = await Promise.all([
    findSpf(config, domain),
    findDkim(config, domain),
    findDmarc(config, domain),
  ]);
  return {
    domain,
    findings: [
      { what: 'spf', ...spf },
      { what: 'dkim', ...dkim },
      { what: 'dmarc', ...dmarc },
    ],
  };
}

type Config = Context['config'];

async function findSpf(config: Config, domain: string): Promise<Finding> {
  const texts = await resolveTxtRecords(config, domain);
  if (!texts) return LOOKUP_FAILED;
  const rules = texts.filter((text) => /^v=spf1(\s|$)/i.test(text));
  const [rule] = rules;
  if (rule === undefined)
    return {
      state: 'wrong',
      title: 'is missing',
      detail: `No record says which servers may send email for ${domain}, so it may be taken for spam. Your email service gives you a line that begins with v=spf1; add it to the domain's DNS as a TXT record.`,
    };
  if (rules.length > 1)
    return {
      state: 'wrong',
      title: 'is there more than once',
      detail: `${domain} has ${rules.length} lines that begin with v=spf1, so receivers ignore all of them. Merge them into one.`,
    };
  if (/\s\+?all(\s|$)/i.test(rule))
    return {
      state: 'wrong',
      title: 'lets everybody send',
      detail: `The line of ${domain} ends in "all" without a minus or a tilde, so anybody may send in its name. End it in -all or ~all.`,
    };
  if (!/\s([-~]all|redirect=\S+)(\s|$)/i.test(rule))
    return {
      state: 'advice',
      title: 'says nothing about other servers',
      detail: `The line of ${domain} says who may send, but not what to do with email from others. End it in -all or ~all.`,
    };
  return { state: 'good', title: 'is set', detail: `${domain} says which servers may send its email.` };
}

async function findDkim(config: Config, domain: string): Promise<Finding> {
  const { dkimSelector } = config;
  if (!dkimSelector)
    return {
      state: 'unknown',
      title: 'cannot be looked up',
      detail:
        'The name of the key at your email service is not known. The operator of this service sets MAIL_DKIM_SELECTOR.',
    };
  const name = `${dkimSelector}._domainkey.${domain}`;
  const texts = await resolveTxtRecords(config, name);
  if (!texts) return LOOKUP_FAILED;
  const key = texts.find((text) => /(^|;)\s*p=/i.test(text));
  if (!key)
    return {
      state: 'wrong',
      title: 'has no key',
      detail: `There is no key at ${name}, so the signatures of your emails cannot be checked. Your email service gives you the record.`,
    };
  if (/(^|;)\s*p=\s*(;|$)/i.test(key))
    return {
      state: 'wrong',
      title: 'has a revoked key',
      detail: `The key at ${name} is empty, which revokes it.`,
    };
  return { state: 'good', title: 'is set', detail: `The key is at ${name}.` };
}

/** Finds the policy of the domain, or of a parent domain. */
async function findDmarc(config: Config, domain: string): Promise<Finding> {
  const labels = domain.split('.');
  for (let at = 0; at <= labels.length - 2; at += 1) {
    const owner = labels.slice(at).join('.');
    const texts = await resolveTxtRecords(config, `_dmarc.${owner}`);
    if (!texts) return LOOKUP_FAILED;
    const rule = texts.find((text) => /^v=DMARC1\s*(;|$)/i.test(text));
    if (!rule) continue;
    const tagOf = (tag: string) => new RegExp(`;\\s*${tag}\\s*=\\s*(\\w+)`, 'i').exec(rule)?.[1]?.toLowerCase();
    // A parent domain's policy may differ for its subdomains.
    const policy = (at > 0 && tagOf('sp')) || tagOf('p');
    if (policy === 'reject' || policy === 'quarantine')
      return { state: 'good', title: 'is set', detail: `${owner} asks receivers to refuse what is not its own.` };
    return {
      state: 'advice',
      title: 'only watches',
      detail: `${owner} asks receivers to accept email that fails. Once reports show that all of your email passes, set p=quarantine or p=reject.`,
    };
  }
  return {
    state: 'wrong',
    title: 'is missing',
    detail: `No record tells receivers what to do with forged email from ${domain}, and large ones refuse senders without one. To begin with, add v=DMARC1; p=none to the DNS at _dmarc.${domain}.`,
  };
}
