import Contracts
import Vocabulary

extension ProjectConfiguration {
    /// The fixed code of a test number; nil for a number that gets messages.
    func testCode(of number: PhoneNumber) -> SMSCode? {
        (signIn?.phoneNumber?.testPhoneNumbers?[number.rawValue]).map(SMSCode.init(fixed:))
    }

    /// The language of a message.
    func messageLocale(_ locale: String?) -> String? {
        notification?.sendSms?.useDeviceLocale == false ? nil : locale
    }

    /// The host that codes are bound to: the first authorized domain that is not local to a developer's machine. The
    /// last line of the message names it, so that browsers fill in the code only there.
    var originDomain: String? {
        authorizedDomains?.first { domain in
            let labels = domain.pieces(at: ".").filter { !$0.isEmpty }
            // A last label of digits belongs to an IP address.
            guard labels.count > 1, let last = labels.last else { return false }
            return last != "localhost" && !last.isASCIIDigits
        }
    }
}
