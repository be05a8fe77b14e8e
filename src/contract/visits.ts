/** What the page behind a visit's link shows; instants are RFC 3339. */
export type VisitView = {
  clinic: string;
  practitioner: string;
  from_date: string;
  to_date: string;
  /** The clinic's zone for this visit (IANA). */
  time_zone: string;
  /** When the waiting room opens. */
  opens_at: string;
  status: 'scheduled' | 'canceled' | 'over';
  /** The service's time, for a reader whose clock is wrong. */
  now: string;
};
