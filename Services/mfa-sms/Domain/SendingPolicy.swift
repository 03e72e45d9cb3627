package import PhoneNumbers
package import Vocabulary

/// The limits on messages and their cost (security rule SM6 to SM8). Hours and days are clock hours and days in UTC.
package struct SendingPolicy: Equatable, Sendable {
    /// Maximum numbers of messages; nil: no limit.
    package struct Counts: Equatable, Sendable {
        /// To one number per day, counting only messages whose code was not verified. Verification shows that the
        /// requester has the phone.
        package var perNumber: Int? = 5
        /// For one account per day.
        package var perAccount: Int? = 20
        /// From one IPv4 address, or one IPv6 /64, per hour.
        package var perAddress: Int? = 10
        /// To one prefix.
        package var perRangeInHour: Int? = 100
        package var perRangeInDay: Int? = 500

        package init() {}

        /// To one number per day, whether its codes are verified or not.
        var perNumberTotal: Int? { perNumber.map { $0.multipliedReportingOverflow(by: 4).partialValue } }
    }

    /// The maximum SMS cost of one project, in millionths of the operator's currency; nil: no limit.
    package struct Budget: Equatable, Sendable {
        package var inHour: Int64? = 20_000_000
        package var inDay: Int64? = 100_000_000

        package init() {}

        /// The share of a budget for prefixes that are not trusted: an attack across hundreds of new prefixes leaves
        /// the other half to trusted prefixes.
        static let newRangesPercent: Int64 = 50
        /// The share of a budget for everything except second factors. The numbers of second factors are verified, and
        /// their requests follow a first factor. Users cannot sign in without them.
        static let firstFactorsPercent: Int64 = 80
    }

    /// When a prefix counts as pumped: hardly any of its codes is verified.
    package struct Conversion: Equatable, Sendable {
        /// Minimum verified codes per hundred sent. 0: no prefix is ever blocked.
        package var minimumPercent = 10

        package init() {}

        /// The number of messages in one evaluation.
        static let sampleSize = 50
        /// The time for a code to be verified before its message is evaluated.
        static let maturationTime = Duration.seconds(2 * 60)
        /// The duration of the first block; each following block is twice as long.
        static let firstBlockDuration = Duration.seconds(60 * 60)
        static let maximumBlockDuration = Duration.seconds(24 * 60 * 60)
        /// The number of verified codes that makes a prefix trusted.
        static let trustedConversionCount = 5
    }

    /// The minimum delay after the first, second, ... message to a number while no code is verified. The last delay
    /// repeats. Empty: no delay.
    package var resendDelays: [Duration] = [.seconds(30), .seconds(60), .seconds(120), .seconds(300)]
    package var counts = Counts()
    package var budget = Budget()
    package var conversion = Conversion()
    /// The assumed price of a message before it is sent.
    package var prices = MessagePrices(defaultPrice: Self.defaultPrice)
    /// A conservative default for regions without a configured price.
    static let defaultPrice: Int64 = 50_000

    func price(in region: String?) -> Int64 { prices.price(in: region) ?? Self.defaultPrice }
    /// The allowed number types. Numbers of no country (satellites, `+979`) are never allowed.
    package var numberTypes = Self.defaultNumberTypes
    /// Whether requests from this machine count for their address. False in dev mode, where all requests come from
    /// here.
    package var countsLoopback = true

    package init() {}

    /// The types that users have: mobile, fixed-line and VoIP numbers. Free, premium and shared-cost numbers are
    /// services; personal numbers (`+44 70`) and pagers are forwarded at a price.
    package static let defaultNumberTypes: Set<ParsedPhoneNumber.NumberType> = [
        .mobile, .fixedLineOrMobile, .fixedLine, .voip,
    ]

    /// For dev mode: a test run sends many codes at once to numbers of one prefix, perhaps fictional ones, and nothing
    /// leaves the machine. Number types that always cost money stay refused, so that the refusal appears before
    /// production.
    package static let development: SendingPolicy = {
        var policy = SendingPolicy()
        policy.resendDelays = []
        policy.counts.perNumber = 100
        policy.counts.perAccount = 100
        policy.counts.perRangeInHour = nil
        policy.counts.perRangeInDay = nil
        policy.budget.inHour = nil
        policy.budget.inDay = nil
        policy.conversion.minimumPercent = 0
        policy.numberTypes = Set(ParsedPhoneNumber.NumberType.allCases).subtracting([.premiumRate, .sharedCost])
        policy.countsLoopback = false
        return policy
    }()
}
