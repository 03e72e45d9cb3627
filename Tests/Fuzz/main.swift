import Glibc

/// Passes the inputs of libFuzzer to the target in `LATCHKEY_FUZZ_TARGET`.
private enum Program {
    static let target: FuzzTarget = {
        guard let name = getenv("LATCHKEY_FUZZ_TARGET"), let target = FuzzTarget(rawValue: String(cString: name)) else {
            fatalError("LATCHKEY_FUZZ_TARGET names none of \(FuzzTarget.allCases.map(\.rawValue))")
        }
        return target
    }()
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try Program.target.read(Array(UnsafeBufferPointer(start: start, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}

/// libFuzzer's own loop, which is part of the sanitizer's library (FuzzerDriver.cpp). It has no header; Swift's calling
/// convention passes three plain C values in the same way.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ testOneInput: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

var count = CommandLine.argc
var arguments = CommandLine.unsafeArgv
exit(runDriver(&count, &arguments, testOneInput))
