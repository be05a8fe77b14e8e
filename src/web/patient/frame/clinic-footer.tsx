'use client';
import { useClinicLook } from '../../ui/clinic-look.tsx';
import { formatPhone } from '../../ui/format-phone.ts';

const LINK = 'rounded-sm text-accent-ink underline underline-offset-3';

/** The clinic's contact, terms and privacy links; nothing when the clinic has set none. */
export function ClinicFooter() {
  const look = useClinicLook();
  if (!look) return null;
  const { name, phone, email, termsUrl, privacyUrl } = look;
  if (![phone, email, termsUrl, privacyUrl].some(Boolean)) return null;
  return (
    <section aria-label={`Help from ${name}`} className="mt-4 grid gap-1 text-center text-[13px] text-muted">
      {(phone || email) && (
        <p className="text-balance wrap-anywhere">
          Questions?{' '}
          {phone && (
            <>
              Call{' '}
              <a href={`tel:${phone}`} className={`${LINK} whitespace-nowrap`}>
                {formatPhone(phone)}
              </a>
            </>
          )}
          {phone && email && ' or write to '}
          {!phone && email && 'Write to '}
          {email && (
            <a href={`mailto:${email}`} className={LINK}>
              {email}
            </a>
          )}
          .
        </p>
      )}
      {(termsUrl || privacyUrl) && (
        <p className="flex justify-center gap-4">
          {termsUrl && <Page href={termsUrl}>Terms</Page>}
          {privacyUrl && <Page href={privacyUrl}>Privacy</Page>}
        </p>
      )}
    </section>
  );
}

const Page = ({ href, children }: { href: string; children: string }) => (
  <a href={href} target="_blank" rel="noopener noreferrer" className={`${LINK} py-1`}>
    {children}
  </a>
);
