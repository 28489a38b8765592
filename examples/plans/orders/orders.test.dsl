# statedsl test examples/plans/orders
TESTS: "./orders.dsl"

TEST: an atlas is in stock, paid and packed
  MOCK: CALL reserve → { item: "atlas", price: 20 }
  MOCK: CALL price → 40
  MOCK: CALL pay → { receipt: "r1" }
  MOCK: CALL pack → "parcel 1"
  MOCK: CALL letter → "on its way"
  EXPECT: event RESERVED item="atlas" price=20
  EXPECT: returned "on its way"
  EXPECT: prompt CALL reserve contains "\"amount\":2"
  EXPECT: calls CALL supplier == 0
  EXPECT: no event REFUSED

TEST: a globe is asked for until the supplier names a day
  GIVEN: item="globe"
  MOCK: CALL reserve → fails short "none left"
  MOCK: CALL supplier → { day: null }, { day: "Monday" }
  EXPECT: calls CALL supplier == 2
  EXPECT: returned "globe comes on Monday, said after 2 questions"

TEST: the supplier is asked three times
  GIVEN: item="globe"
  MOCK: CALL reserve → fails short "none left"
  MOCK: CALL supplier → { day: null }, …
  EXPECT: calls CALL supplier == 3
  EXPECT: returned "globe comes on no day that is known, said after 3 questions"

TEST: a card that is refused
  GIVEN: card="expired"
  MOCK: CALL reserve → { item: "atlas", price: 20 }
  MOCK: CALL price → 40
  MOCK: CALL pay → fails refused "the card is expired"
  MOCK: CALL letter → "please pay"
  EXPECT: event REFUSED why="the card is expired"
  EXPECT: returned "please pay"

TEST: a tool that fails ends the order
  GIVEN: item="globe"
  MOCK: CALL reserve → fails short "none left"
  MOCK: CALL supplier → fails broken "no connection"
  EXPECT: event STATE_ENTRY state="ERROR" error_type="tool_failure" tool="supplier"
  EXPECT: failed
  EXPECT: returned contains "supplier failed"
