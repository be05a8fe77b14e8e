-- Who changes a patient's cards at Stripe, and until when nobody else does: Stripe itself would let the last two go at once.
alter table processor_customers add column cards_holder uuid;
alter table processor_customers add column cards_held_until timestamptz(3);
