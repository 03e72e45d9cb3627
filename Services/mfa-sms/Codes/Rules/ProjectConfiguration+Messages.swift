import Contracts
import Vocabulary

extension ProjectConfiguration {
    /// The fixed code of a test number; nil for a number that gets messages.
    func testCode(of number: PhoneNumber) -> OneTimeCode? {
        (signIn?.phoneNumber?.testPhoneNumbers?[number.rawValue]).map(OneTimeCode.init(fixed:))
    }

    /// The language that is requested for a message.
    func messageLocale(_ locale: String?) -> String? {
        notification?.sendSms?.useDeviceLocale == false ? nil : locale
    }

    /// The host that codes are for: the first authorized domain that is neither `localhost` nor an address. The last
    /// line of the message names it, so that browsers fill in the code there only.
    var originDomain: String? {
        authorizedDomains?.first { domain in
            let labels = domain.pieces(at: ".").filter { !$0.isEmpty }
            // An address has digits as its last label.
            guard labels.count > 1, let last = labels.last else { return false }
            return last != "localhost" && !last.isASCIIDigits
        }
    }
}
