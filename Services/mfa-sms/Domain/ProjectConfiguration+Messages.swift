import Contracts
import Vocabulary

extension ProjectConfiguration {
    /// The code that the project has fixed for a number; nil for a number that gets messages.
    func testCode(of number: PhoneNumber) -> SMSCode? {
        (signIn?.phoneNumber?.testPhoneNumbers?[number.rawValue]).map(SMSCode.init(fixed:))
    }

    /// The language a message is asked for in.
    func messageLocale(_ locale: String?) -> String? {
        notification?.sendSms?.useDeviceLocale == false ? nil : locale
    }

    /// The host that codes are for: the first authorized domain that a browser could meet outside the developer's machine.
    /// The last line of the message is bound to it, so that a code is filled in there alone.
    var originDomain: String? {
        authorizedDomains?.first { domain in
            let labels = domain.pieces(at: ".").filter { !$0.isEmpty }
            // A last label of digits is that of an address.
            guard labels.count > 1, let last = labels.last else { return false }
            return last != "localhost" && !last.isASCIIDigits
        }
    }
}
