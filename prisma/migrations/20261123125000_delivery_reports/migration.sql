-- What became of a text after the sending service had taken it, as it told later.
ALTER TABLE "visit_messages"
  ADD COLUMN "delivery" TEXT CONSTRAINT "visit_messages_delivery" CHECK ("delivery" IN ('delivered', 'not_delivered')),
  ADD COLUMN "delivery_why" TEXT;
