import Contracts
import Vocabulary

extension Notifier.SendSMS {
    static let maximumNameBytes = 1024

    /// Checks whether a message can be built from it.
    func check() throws(ServiceError) {
        let code = code.reveal().utf8
        guard (4...8).contains(code.count), code.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw ServiceError(.invalidRequest, "The code is not four to eight digits.") }
        guard appName.utf8.count <= Self.maximumNameBytes else {
            throw ServiceError(.invalidRequest, "A name is too long.")
        }
        if let originDomain {
            guard (1...253).contains(originDomain.utf8.count), originDomain.utf8.allSatisfy(Self.isOfHostNames) else {
                throw ServiceError(.invalidRequest, "The domain of the code is no host name.")
            }
        }
        if let problem = template.flatMap(Self.problem) {
            throw ServiceError(.invalidRequest, "The template \(problem).")
        }
    }

    private static func isOfHostNames(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
