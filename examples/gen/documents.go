package main

// The documents of the workflows, line by line; a line that starts with # is a
// heading.
var (
	timber = []string{
		"#Offer 1: a bridge of timber",
		"",
		"Two glued beams of larch, 18.0 m long, deck of oak, 1.80 m between handrails.",
		"",
		"Price: 96,000 euros, abutments not included.",
		"Time: 14 weeks from the order, three days on site.",
		"Life: 40 years; the deck is renewed after 15.",
		"Deflection under full load: span / 420.",
	}
	steel = []string{
		"#Offer 2: a bridge of steel",
		"",
		"A welded trough of weathering steel, 18.0 m long, 2.00 m between handrails.",
		"",
		"Price: 131,000 euros, abutments included.",
		"Time: 20 weeks from the order, one day on site.",
		"Life: 80 years, without coating.",
		"Deflection under full load: span / 510.",
	}
	minutes = []string{
		"#Minutes of 4 May",
		"",
		"1. The underside of the deck is raised to 3.45 m above the datum.",
		"2. The foundation of abutment B is looked at before the end of the month.",
		"3. Two offers are asked for, one of timber and one of steel.",
	}
)
